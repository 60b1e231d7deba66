/** Structured logging: one JSON line per event, event names `noun.verb`, fields instead of sentences. */

import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/** Names whose values never reach a log line, at any of the first three levels of a logged object. */
const secret = [
  'authorization',
  'x-api-key',
  'apikey',
  'apiKey',
  'api_key',
  'auth_key',
  'token',
  'password',
  'secret',
  'set-cookie',
  'x-app-token',
]

const paths = secret.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * A logger that writes JSON lines to standard error, so that what a command prints on standard output stays its own.
 * `destination` is for tests.
 */
export function logger(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: 'event',
    redact: { paths, censor: '•••' },
  }
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }))
}
