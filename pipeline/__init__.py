"""The compiler: one module a stage, in the order of the line; `readers/` holds one file a reader."""
