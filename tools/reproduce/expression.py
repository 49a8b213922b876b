# SPDX-License-Identifier: LGPL-2.1-or-later
"""The language of the checks: Python's expression syntax, a small part of it, without eval(). The arithmetic of scenario
files is a part of it again (docs/scenarios.md), which weir-lab evaluates; tests/vectors/expressions.json holds for both.

Everything is evaluated, nothing cut short: `all(...)` looks at each element and `and` at both sides, because
the report shows every comparison and the planner must see every metric that is asked for."""
import ast
import math
import operator
from dataclasses import dataclass, field


class Unavailable(Exception):
    """A check cannot be judged; the text says why."""


class Malformed(Exception):
    """A check is no expression of this language."""


@dataclass
class Comparison:
    left: object
    op: str
    right: object
    holds: bool
    at: dict = field(default_factory=dict)  # names bound by comprehensions
    signed: object = None  # of abs(a) <= tolerance, which says that things are equal: a


def half_up(value):
    """To a whole number; halves away from zero, as in C and in scenarios."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


COMPARE = {ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt),
           ast.GtE: (">=", operator.ge), ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne)}
BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}
SIGNS = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}
BUILTINS = {"abs": abs, "min": min, "max": max, "sum": sum, "all": all, "any": any, "range": range,
            "ceil": math.ceil,
            "floor": math.floor, "log": math.log, "sqrt": math.sqrt, "exp": math.exp, "round": half_up}


def is_equality(node):
    """abs(...) < or <= a tolerance."""
    return isinstance(node.left, ast.Call) and getattr(node.left.func, "id", "") == "abs" and \
        len(node.ops) == 1 and isinstance(node.ops[0], (ast.Lt, ast.LtE))


def divide(a, b):
    """Never raises: a metric that came out as 0 makes a comparison fail, it does not end the report."""
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 else math.copysign(math.inf, a)


class Evaluator:
    """Evaluates one expression. `call(name, args, kwargs)` answers functions that are not built in, `names`
    the free names; `keep` restricts what a comprehension's variable goes through: {"m": [20, 200]}."""

    def __init__(self, text, call, names=None, keep=None):
        try:
            self.tree = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            raise Malformed(f"{text!r}: {error.msg}") from None
        self.call = call
        self.names = dict(names or {})
        self.keep = keep or {}
        self.bound = {}
        self.comparisons = []
        self.inside_abs = None

    def run(self):
        return self.value(self.tree)

    def value(self, node):
        method = getattr(self, "on_" + type(node).__name__, None)
        if method is None:
            raise Malformed(f"{type(node).__name__} is not allowed in a check")
        return method(node)

    def on_Constant(self, node):
        return node.value

    def on_Tuple(self, node):
        return tuple(self.value(element) for element in node.elts)

    def on_List(self, node):
        return [self.value(element) for element in node.elts]

    def on_Name(self, node):
        for scope in (self.bound, self.names):
            if node.id in scope:
                return scope[node.id]
        raise Unavailable(f"{node.id} is not bound")

    def on_BinOp(self, node):
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div):
            return divide(left, right)
        if type(node.op) not in BINARY:
            raise Malformed(f"{type(node.op).__name__} is not allowed in a check")
        return BINARY[type(node.op)](left, right)

    def on_UnaryOp(self, node):
        if type(node.op) not in SIGNS:
            raise Malformed(f"{type(node.op).__name__} is not allowed in a check")
        return SIGNS[type(node.op)](self.value(node.operand))

    def on_BoolOp(self, node):
        values = [self.value(part) for part in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)

    def on_IfExp(self, node):
        """Only the chosen side: in figures it chooses what a curve is."""
        return self.value(node.body if self.value(node.test) else node.orelse)

    def on_Subscript(self, node):
        return self.value(node.value)[self.value(node.slice)]

    def on_Compare(self, node):
        first = self.value(node.left)
        signed = self.inside_abs if is_equality(node) else None
        values = [first, *(self.value(part) for part in node.comparators)]
        holds = True
        for left, op, right in zip(values, node.ops, values[1:]):
            if type(op) not in COMPARE:
                raise Malformed(f"{type(op).__name__} is not allowed in a check")
            text, function = COMPARE[type(op)]
            one = bool(function(left, right))
            self.comparisons.append(Comparison(left, text, right, one, dict(self.bound), signed))
            holds = holds and one
        return holds

    def on_GeneratorExp(self, node):
        return self.generate(node.elt, list(node.generators))

    on_ListComp = on_GeneratorExp

    def generate(self, element, generators):
        if not generators:
            return [self.value(element)]
        first, rest = generators[0], generators[1:]
        if first.is_async:
            raise Malformed("async is not allowed in a check")
        values, before = [], dict(self.bound)
        for item in self.kept(first.target, self.value(first.iter)):
            self.bind(first.target, item)
            if all([self.value(condition) for condition in first.ifs]):
                values += self.generate(element, rest)
        self.bound = before
        return values

    def kept(self, target, items):
        allowed = self.keep.get(target.id) if isinstance(target, ast.Name) else None
        chosen = [item for item in items if item in allowed] if allowed is not None else []
        return chosen or items

    def bind(self, target, item):
        if isinstance(target, ast.Name):
            self.bound[target.id] = item
            return
        for name, part in zip(target.elts, item):
            self.bind(name, part)

    def on_Call(self, node):
        if not isinstance(node.func, ast.Name):
            raise Malformed("only functions can be called in a check")
        args = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                args += list(self.value(arg.value))
            else:
                args.append(self.value(arg))
        kwargs = {keyword.arg: self.value(keyword.value) for keyword in node.keywords}
        if node.func.id in BUILTINS:
            return self.built_in(node.func.id, args, kwargs)
        return self.call(node.func.id, args, kwargs)

    def built_in(self, name, args, kwargs):
        if name == "abs":
            self.inside_abs = args[0]
        try:
            return BUILTINS[name](*args, **kwargs)
        except (ValueError, OverflowError):
            return math.nan
