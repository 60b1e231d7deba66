/** Structured logging: one line per event, as JSON or for a terminal; event names `noun.verbed`, fields instead of sentences. */

import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { unicodeEscape } from './errors.ts'
import { currentTraceId } from './trace.ts'

export type Log = Logger

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Values of `PLATFORM_LOG_FORMAT`. */
export const logFormats = ['auto', 'json', 'pretty'] as const

export type LogLevel = (typeof logLevels)[number]

type Options = {
  /** Masks the secrets that the process knows in a finished JSON line. */
  readonly clean?: (line: string) => string
  /** Time, level, event and fields instead of JSON; default: where standard error is a terminal. */
  readonly isReadable?: boolean
  /** Milliseconds in which a failure with the same cause is counted instead of written again; by default each is written. */
  readonly repeatMs?: number
}

/**
 * Makes a logger that writes JSON lines to standard error, or readable lines to a terminal. Secret values are masked; errors are
 * logged with their causes, without the properties that libraries add. `destination` is for tests.
 */
export function logger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
  { clean = (line) => line, isReadable = process.stderr.isTTY, repeatMs }: Options = {},
): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => maskFields(fields),
    },
    // The serialiser of the library would flatten what `errorFields` returns.
    serializers: { err: (err: unknown) => err },
    messageKey: 'event',
    mixin: () => {
      const traceId = currentTraceId()
      return traceId === undefined ? {} : { traceId }
    },
    ...(repeatMs !== undefined && { hooks: { logMethod: withoutRepetitions(repeatMs) } }),
  }
  const finish = isReadable ? (line: string) => readable(clean(line)) : clean
  return pino(options, cleaning(destination, finish))
}

type Fields = Record<string, unknown>

/** Fields that differ between failures with one cause. */
const ownFields = new Set(['requestId', 'ms', 'bytes', 'retryInMs', 'waiting', 'traceId'])
/** Most causes that are remembered; the oldest is forgotten first. */
const mostCauses = 1000
/** Levels of lines that are counted when they repeat, as numbers of the library. */
const [warnLevel, errorLevel] = [40, 50]

/**
 * Makes the hook that writes a line of `warn` or `error` again only some milliseconds after the same one; it then has the number of
 * lines that were left out as `repeated`.
 */
function withoutRepetitions(repeatMs: number): NonNullable<LoggerOptions['hooks']>['logMethod'] {
  const causes = new Map<string, { readonly at: number; left: number }>()
  return function logMethod(args, method, level) {
    const [fields, event] = args
    if (level < warnLevel || level > errorLevel || typeof fields !== 'object' || fields === null)
      return method.apply(this, args)
    const cause = JSON.stringify([level, event, causeOf(maskFields(fields))])
    const last = causes.get(cause)
    if (last && performance.now() - last.at < repeatMs) {
      last.left += 1
      return undefined
    }
    causes.delete(cause)
    causes.set(cause, { at: performance.now(), left: 0 })
    const oldest = causes.keys().next().value
    if (causes.size > mostCauses && oldest !== undefined) causes.delete(oldest)
    if (!last?.left) return method.apply(this, args)
    return method.apply(this, [{ ...fields, repeated: last.left }, event])
  }
}

/** Fields that a cause has in common, without stacks. */
const causeOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (ownFields.has(name)) return []
      const isError = name === 'err' && typeof value === 'object'
      return [[name, isError ? { ...value, stack: undefined } : value]]
    }),
  )

const mask = '•••'
/** Levels of fields that are logged; deeper ones become `…`. */
const mostLevels = 6
/** Maximum characters of a text or stack, and of the message of an error. */
const longestText = 8192
const longestMessage = 2048

/**
 * Lower-case names of fields, headers, parameters and keys whose values are never logged, at any depth; `secrets.ts` uses them
 * for configs and URLs too.
 */
export const secretNames: ReadonlySet<string> = new Set([
  'access_token',
  'api-key',
  'api_key',
  'apikey',
  'app_token',
  'auth_key',
  'authorization',
  'client_secret',
  'password',
  'proxy-authorization',
  'secret',
  'secretaccesskey',
  'set-cookie',
  'token',
  'x-api-key',
  'x-app-token',
])

// Pino's redaction with wildcards for these names takes 30 µs per line, this walk below 1.
function maskFields(fields: object, depth = 1): Fields {
  const shown: Fields = {}
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = secretNames.has(name.toLowerCase()) ? mask : loggable(value, depth)
  }
  return shown
}

function loggable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(value, longestText)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= mostLevels) return '…'
  if (value instanceof Error) return errorFields(value, depth)
  if (value instanceof Date) return value
  if (Array.isArray(value)) return value.map((part) => loggable(part, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return loggable(value.toJSON(), depth + 1)
  }
  return maskFields(value, depth + 1)
}

/**
 * Reduces an error to name, message, kind, code, stack and cause: libraries add whole requests with their headers. A `Failure`
 * other than `internal` and an error of the operating system are expected: their stack does not help an operator.
 */
function errorFields(error: Error, depth: number): Fields {
  const isExpected = ('kind' in error && error.kind !== 'internal') || 'syscall' in error
  return {
    type: error.name,
    message: cut(error.message, longestMessage),
    ...('kind' in error && { kind: loggable(error.kind, depth + 1) }),
    ...('code' in error && { code: loggable(error.code, depth + 1) }),
    ...(!isExpected && { stack: cut(error.stack ?? '', longestText) }),
    ...(error.cause !== undefined && { cause: loggable(error.cause, depth + 1) }),
  }
}

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

/**
 * Characters that JSON does not escape but a terminal or a line reader interprets: DEL, C1 controls, line separators, direction
 * marks.
 */
const unsafe = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g
/** User info of URLs in a line. */
const userInfo = /\/\/[^\s/"@]{1,512}@/g

/** Makes a destination that masks and escapes each finished line, then applies `clean`. */
function cleaning(
  destination: DestinationStream,
  clean: (line: string) => string,
): DestinationStream {
  return {
    ...(hasFlush(destination) && { flush: (done?: () => void) => destination.flush(done) }),
    write: (line: string) => {
      destination.write(clean(line.replace(unsafe, unicodeEscape).replace(userInfo, `//${mask}@`)))
    },
  }
}

/** Formats a finished JSON line for a terminal: `12:00:00 WARN  store.away  message="…"`. */
function readable(line: string): string {
  const { level, time, event, ...fields }: Fields = JSON.parse(line)
  const fieldTexts = Object.entries(fields).map(
    ([name, value]) => `${shortValue(name)}=${shortValue(value)}`,
  )
  const head = [String(time).slice(11, 19), String(level).toUpperCase().padEnd(5), String(event)]
  return `${[...head, ...fieldTexts].join(' ').replace(unsafe, unicodeEscape)}\n`
}

const shortValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@,+-]+$/.test(value) ? value : JSON.stringify(value)

type Flushable = DestinationStream & { flush(done?: () => void): void }

const hasFlush = (destination: DestinationStream): destination is Flushable =>
  'flush' in destination && typeof destination.flush === 'function'
