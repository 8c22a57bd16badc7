namespace pollux::store {}
