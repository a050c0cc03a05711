"""A server for exported parsers on the protocols of TF Serving; needs the extra `serve`."""
