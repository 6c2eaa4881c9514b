/* TorchRL's mocks MockSerialEnv, ContinuousActionVecMockEnv and DiscreteActionVecMockEnv. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Registers ids `MockSerial-v0`, `ContinuousActionVecMock-v0` and `DiscreteActionVecMock-v0`. */
void mock_envs_init (void);

G_END_DECLS
