import ArgumentParser

/// In this target a flag is an option of the command line. `Models.Flag` marks messages.
typealias Flag = ArgumentParser.Flag
