/* The binary interface of DLPack 1.2, declared from its specification; not installed.
 * https://dmlc.github.io/dlpack/latest/c_api.html */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 2
#define DLPACK_FLAG_BITMASK_READ_ONLY ((guint64) 1 << 0)

typedef struct
{
  guint32 major;
  guint32 minor;
} DLPackVersion;

enum
{
  kDLCPU = 1,
};

typedef struct
{
  gint32 device_type;
  gint32 device_id;
} DLDevice;

enum
{
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
};

typedef struct
{
  guint8 code;
  guint8 bits;
  guint16 lanes;
} DLDataType;

typedef struct
{
  void *data;
  DLDevice device;
  gint32 ndim;
  DLDataType dtype;
  gint64 *shape;
  gint64 *strides; /* in elements; before 1.2 NULL where contiguous */
  guint64 byte_offset;
} DLTensor;

struct DLManagedTensor
{
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter) (struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned
{
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter) (struct DLManagedTensorVersioned *self);
  guint64 flags;
  DLTensor dl_tensor;
};

G_END_DECLS
