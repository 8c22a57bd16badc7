namespace pollux::detect {}
