"""No test reaches the key store of whoever runs it: one that wants a real store starts its own."""

import os

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
