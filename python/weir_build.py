# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes weir._weir, which knows the structs and functions of weir/contract.h and tools/lab/embed.h from the
headers themselves. WEIR_SOURCE and WEIR_LIBRARY: folders of the source tree and of libweirlab.so."""
import os
import re

import cffi

HEADERS = ("lib/weir/status.h", "lib/weir/ecn.h", "lib/weir/controller.h", "lib/weir/receiver.h", "lib/weir/contract.h",
           "tools/lab/embed.h")
FUNCTIONS = ("weir_register_controller", "weir_status_text", "weir_lab_simulate", "weir_lab_stop", "weir_lab_free",
             "weir_algorithm_count", "weir_algorithm_name")
NUMBERS = ("WEIR_CONTRACT_VERSION", "WEIR_STATE_MAX_BYTES", "WEIR_MAX_PARAMS")
LONG_NUMBERS = ("WEIR_UNLIMITED_BYTES", "WEIR_NEVER_NS", "WEIR_UNKNOWN_NS")
WANTED = re.compile(r"weir_(status|needs|param|param_kind|limits|state|ecn|rtt|rtt_candidate|path|config|sent_packet|"
                    r"packet_status|packet_report|feedback|report|control|probe_result|variable|variables|controller|"
                    r"lab_run)$")


def declarations(text):
    """The structs and enumerations that are wanted, and the functions, without comments."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for kind, name, body in re.findall(r"^(struct|enum) (\w+) \{(.*?)\};", text, flags=re.M | re.S):
        if WANTED.match(name):
            yield f"{kind} {name} {{{body}}};"
    for function in re.findall(r"^WEIR_API ([^;{]*\([^;]*\));", text, flags=re.M):
        if re.search(r"(\w+)\(", function).group(1) in FUNCTIONS:
            yield function + ";"


def make():
    source, library = os.environ["WEIR_SOURCE"], os.environ["WEIR_LIBRARY"]
    found = []
    for header in HEADERS:
        with open(os.path.join(source, header), encoding="utf-8") as file:
            found += declarations(file.read())
    builder = cffi.FFI()
    builder.cdef("\n".join([*(f"#define {name} ..." for name in NUMBERS),
                            *(f"static const int64_t {name};" for name in LONG_NUMBERS), *found]))
    builder.set_source("weir._weir", "#include \"weir/contract.h\"\n#include \"embed.h\"\n", libraries=["weirlab"],
                       include_dirs=[os.path.join(source, "lib"), os.path.join(source, "tools", "lab")],
                       library_dirs=[library], extra_link_args=["-Wl,-rpath,$ORIGIN"])
    return builder


ffibuilder = make()
