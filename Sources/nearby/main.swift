import Glibc
import ServiceRuntime
import Terminal

// Before anything that starts a thread, so that all threads leave the signals to the one that reads them.
TerminalInput.takeSignals()
let arguments = Array(CommandLine.arguments.dropFirst())
Task.detached { exit(await Launcher.run(arguments).rawValue) }
// Not an asynchronous main: its thread would end up where every signal is let in (`dispatch_main` waits in `sigsuspend` with an
// empty mask), and a program on a terminal has to end in order.
while true { pause() }
