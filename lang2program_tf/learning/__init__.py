"""Learning from final worlds: gradient weights, the train step, the loop and evaluation."""

import warnings

# On import tensorflow-addons says that it is no longer developed, which our users cannot change.
warnings.filterwarnings("ignore", r"\s*TensorFlow Addons", UserWarning)
