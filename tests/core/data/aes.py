"""AES-128 of one block, on whichever interpreter: encrypt and decrypt by a key."""

import sys

if sys.implementation.name == "micropython":
    import cryptolib

    def encryptor(key):
        return lambda block: cryptolib.aes(key, 1).encrypt(block)

    def decryptor(key):
        return lambda block: cryptolib.aes(key, 1).decrypt(block)

else:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    def encryptor(key):
        return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update

    def decryptor(key):
        return Cipher(algorithms.AES(key), modes.ECB()).decryptor().update
