namespace pollux::schedule {}
