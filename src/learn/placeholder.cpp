namespace pollux::learn {}
