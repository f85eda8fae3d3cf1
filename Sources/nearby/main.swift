import Glibc
import ServiceRuntime
import Terminal

// Before anything that starts a thread, so that all threads leave the signals to the one that reads them.
TerminalInput.takeSignals()
exit(await Launcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
