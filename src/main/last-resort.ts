/** A net under the whole process: an error that nobody handled is logged, and the process ends. */

import type { Log } from '../log.ts'

/** Exit code after such an error (EX_SOFTWARE of sysexits.h): a supervisor starts the process again. */
export const softwareError = 70

/** Logs what nobody handled and ends the process: what it does afterwards could not be trusted. */
export function endOnUnhandled(log: Log): void {
  for (const kind of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(kind, (err: unknown) => {
      log.fatal({ err, kind }, 'process.failed')
      process.exit(softwareError)
    })
}
