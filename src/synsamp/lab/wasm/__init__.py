"""The engine for the browser: compiled by Numba, emitted as WebAssembly by llvmlite."""
