namespace pollux::engine {}
