#!/bin/bash -eu
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the targets of the library. Those of weir-lab and of the elements need libraries that the
# machines lack on which targets run. CC, CFLAGS, LIB_FUZZING_ENGINE and OUT come from the image.
meson setup build/oss -Dfuzz=true -Dfuzz_engine="$LIB_FUZZING_ENGINE" -Dgst=disabled \
    -Dlab=disabled -Dlink=disabled -Dsrtp=disabled -Dbench=false
for name in codec_ccfb codec_rtcp codec_rtp codec_twcc codec_xr controller params receiver session; do
    ninja -C build/oss "tests/fuzz/fuzz_$name"
    cp "build/oss/tests/fuzz/fuzz_$name" "$OUT/"
    python3 - "tests/fuzz/corpora/$name.hex" "$OUT/fuzz_${name}_seed_corpus.zip" << 'EOF'
import sys
import zipfile
with open(sys.argv[1]) as lines, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as corpus:
    for i, line in enumerate(lines):
        corpus.writestr(str(i), bytes.fromhex(line.partition(" ")[0]))
EOF
done
