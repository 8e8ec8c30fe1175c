# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# What type checkers know of the generated module (make_abi.py): C values have no types here.

from typing import Any

ffi: Any
VERSION: str
