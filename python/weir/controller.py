# SPDX-License-Identifier: LGPL-2.1-or-later
"""A congestion controller in Python: the contract of weir/contract.h with a class in place of the table."""
import dataclasses

from ._weir import ffi, lib


@dataclasses.dataclass
class Parameter:
    """One parameter of an algorithm; `weir.run(..., params={name: value})` sets it."""

    default: float
    least: float
    most: float
    description: str = ""
    unit: str = "1"


@dataclasses.dataclass
class Control:
    """A controller's answer, in wire bits and bytes. The session keeps it within limits and what was proved."""

    rate_bps: float
    pacing_bps: float = 0  # 0: the rate
    source_bps: float = 0  # what the encoder may make; 0: the rate
    window_bytes: float = None  # None: no window
    queue_target_ns: int = 0  # queueing delay that it aims at; 0: none


class Controller:
    """Derive from this, give it a `name`, and override what is needed; `control` is required. Arguments are the
    structs of weir/contract.h with its field names; they are valid during the call only."""

    name = None
    description = "An algorithm in Python."
    spec = "none"
    needs_arrivals = False  # arrival times of packets, not only which arrived
    parameters = {}  # name: Parameter

    def __init__(self, config, params):
        """config.limits has start_bps, min_bps and max_bps; params the values of `parameters`."""

    def on_packet_sent(self, path, packet):
        """A packet has left."""

    def on_feedback(self, path, packets, now_ns):
        """What became of packets: each has seq, sent_ns, arrived_ns, wire_bytes, status, ecn."""

    def on_silence(self, path, now_ns):
        """Nothing was heard for long."""

    def set_limits(self, limits, now_ns):
        """min_bps, max_bps or start_bps changed."""

    def control(self):
        """The answer: a Control, or a rate in bit/s alone."""
        raise NotImplementedError("control() says what may be sent")

    def variables(self):
        """{name: number}, for columns of the time series."""
        return {}


LOST, RECEIVED, LATE = (lib.WEIR_PACKET_LOST, lib.WEIR_PACKET_RECEIVED, lib.WEIR_PACKET_LATE)
MARKED = lib.WEIR_ECN_CE
HOOKS = {"on_packet_sent": "void(void *, struct weir_path *, struct weir_sent_packet *)",
         "on_silence": "void(void *, struct weir_path *, int64_t)",
         "set_limits": "void(void *, struct weir_limits *, int64_t)"}

BLANK = ffi.new("struct weir_control *", {"window_bytes": lib.WEIR_UNLIMITED_BYTES})

tables = {}  # class -> its table, which stays for ever, with all it points to
alive = {}  # number in a state -> controller, of this run
errors = []  # of this run, the first of them counts


def of(state):
    return alive[ffi.cast("uint64_t *", state)[0]]


def guarded(function):
    """No exception passes through C: it ends the run, and weir.run raises it."""
    def call(*arguments):
        if not errors:
            try:
                function(*arguments)
            except BaseException as error:  # pylint: disable=broad-except
                errors.append(error)
                lib.weir_lab_stop()
    return call


def whole(name, field, value):
    """A number for C."""
    number = float(value)
    if not 0 <= number <= 9e18:  # nor a NaN
        raise ValueError(f"{name}: control().{field} is {value}; it must be a finite number, 0 or more")
    return int(number)


def fill(name, answer, control):
    answer = answer if isinstance(answer, Control) else Control(answer)
    control.rate_bps = whole(name, "rate_bps", answer.rate_bps)
    control.pacing_bps = whole(name, "pacing_bps", answer.pacing_bps)
    control.source_bps = whole(name, "source_bps", answer.source_bps)
    control.queue_target_ns = whole(name, "queue_target_ns", answer.queue_target_ns)
    control.window_bytes = lib.WEIR_UNLIMITED_BYTES if answer.window_bytes is None \
        else whole(name, "window_bytes", answer.window_bytes)


def parameter_table(kind, keep):
    """struct weir_param of each; what they point to goes to keep."""
    table = ffi.new("struct weir_param[]", max(1, len(kind.parameters)))
    for row, (name, one) in zip(table, kind.parameters.items()):
        keep += [ffi.new("char[]", text.encode()) for text in (name, one.unit, one.description)]
        row.name, row.unit, row.description = keep[-3:]
        row.min, row.max, row.default_value = one.least, one.most, one.default
    keep.append(table)
    return table


def callbacks(kind, keep):
    """(field of the table, function)."""
    @guarded
    def init(state, config):
        number = len(alive)
        ffi.cast("uint64_t *", state)[0] = number
        params = {name: config.params[i] for i, name in enumerate(kind.parameters)}
        alive[number] = kind(config, params)

    @guarded
    def on_feedback(state, path, feedback):
        packets = [feedback.packets[i] for i in range(feedback.n_packets)]
        of(state).on_feedback(path, packets, feedback.now_ns)

    @guarded
    def get_output(state, control):
        control[0] = BLANK[0]
        fill(kind.name, of(state).control(), control)

    @guarded
    def get_variables(state, to):
        for name, value in of(state).variables().items():
            if to.n < to.room:
                if name not in names:
                    names[name] = ffi.new("char[]", name.encode())
                to.all[to.n].name, to.all[to.n].value = names[name], float(value)
                to.n += 1

    names = {}  # of variables, as C keeps them
    keep.append(names)
    yield "init", "void(void *, struct weir_config *)", init
    yield "on_feedback", "void(void *, struct weir_path *, struct weir_feedback *)", on_feedback
    yield "get_output", "void(void *, struct weir_control *)", get_output
    if kind.variables is not Controller.variables:
        yield "get_variables", "void(void *, struct weir_variables *)", get_variables
    for hook, signature in HOOKS.items():
        if getattr(kind, hook) is not getattr(Controller, hook):
            yield hook, signature, guarded(lambda state, *rest, hook=hook: getattr(of(state), hook)(*rest))


def make_table(kind):
    keep = [ffi.new("char[]", str(text).encode()) for text in (kind.name, kind.description, kind.spec)]
    table = ffi.new("struct weir_controller *")
    table.name, table.description, table.spec = keep
    table.needs = lib.WEIR_NEEDS_PACKETS | (lib.WEIR_NEEDS_ARRIVALS if kind.needs_arrivals else 0)
    table.state_bytes = ffi.sizeof("uint64_t")
    table.params, table.n_params = parameter_table(kind, keep), len(kind.parameters)
    for field, signature, function in callbacks(kind, keep):
        keep.append(ffi.callback(signature, function))
        setattr(table, field, keep[-1])
    return table, keep


def register(kind):
    """Its name in the registry. A class is registered once; another of the same name is refused."""
    if kind not in tables:
        if not isinstance(kind.name, str):
            raise TypeError(f"{kind.__name__}.name must be a string, the name of the algorithm")
        made = make_table(kind)
        why = ffi.new("char[]", 256)
        if lib.weir_register_controller(made[0], lib.WEIR_CONTRACT_VERSION, why, 256) != lib.WEIR_OK:
            raise ValueError(ffi.string(why).decode())
        tables[kind] = made
    return kind.name
