/** Last handler of errors: an unhandled error is logged and ends the process. */

import type { Log } from '../log.ts'

/** Exit code after an unhandled error (EX_SOFTWARE of sysexits.h): a supervisor starts the process again. */
export const softwareError = 70

/** Logs unhandled errors and ends the process, whose state is unknown then. */
export function endOnUnhandled(log: Log): void {
  for (const kind of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(kind, (err: unknown) => {
      log.fatal({ err, kind }, 'process.failed')
      process.exit(softwareError)
    })
}
