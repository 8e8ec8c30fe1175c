// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates as bytes. docs/reference/certificate.md defines the format.

#ifndef BI_IO_CERTIFICATE_H
#define BI_IO_CERTIFICATE_H

#include <berth/io/motion.h>

#include "io/syntax/text_out.h"

/// The whole file. `path` is for texts. On failure `out` is empty.
BerthStatus bi_io_certificate_to_bytes(const char* path, const BerthCertificate* certificate,
                                       const BerthScene* scene, const BerthAllocator* allocator,
                                       FileBytes* out);
/// Its lines about the meshes whose leaves it counts.
BerthStatus bi_io_certificate_meshes(const BerthCertificate* certificate, const BerthScene* scene,
                                     TextOut* out);
BerthStatus bi_io_certificate_from_bytes(const char* path, const char* data, size_t size,
                                         const BerthScene* scene, const BerthIoOptions* options,
                                         BerthCertificate** out);

#endif
