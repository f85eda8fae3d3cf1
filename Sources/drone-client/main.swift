import Glibc
import ServiceRuntime

exit(Launcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
