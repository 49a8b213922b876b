/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/version.h"

#define TEXT(number)                #number
#define DOTTED(major, minor, micro) TEXT(major) "." TEXT(minor) "." TEXT(micro)

const char *weir_version(void)
{
    return DOTTED(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO);
}

int weir_version_number(void)
{
    return WEIR_VERSION_NUMBER(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO);
}
