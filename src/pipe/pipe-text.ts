/** Parses pipe files, request bodies and messages (JSON, YAML 1.2) into plain JSON values with bounds on depth and count. */

import { LineCounter, parseDocument } from 'yaml'
import { type Complaint, Failure } from '../errors.ts'
import type { AppContext } from '../http/app.ts'
import { type BodyLimits, readBodyText } from '../http/body.ts'
import type { Json } from '../text/json.ts'

type ReadResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problems: readonly Complaint[] }

/** Parses text as JSON if the file name ends in `.json`, else as YAML. Never throws. */
export function readText(text: string, name: string): ReadResult {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    const parsed = /\.json$/i.test(name) ? jsonOf(body) : parseYaml(body)
    return Array.isArray(parsed)
      ? { ok: false, problems: parsed.slice(0, 10) }
      : { ok: true, value: plainJson(parsed.value, 0, { remaining: mostValues }) }
  } catch (error) {
    // The YAML parser reports too many aliases as a ReferenceError.
    const aliasFault = error instanceof ReferenceError ? 'repeats its aliases too often' : undefined
    const detail =
      error instanceof UnsupportedValue
        ? error.message
        : (aliasFault ?? 'cannot be read as a document')
    return { ok: false, problems: [{ detail }] }
  }
}

/**
 * Reads a request body as JSON; `undefined` when blank. Throws `malformed-json` with the position, and the failures of
 * `readBodyText`.
 */
export async function readJsonBody(c: AppContext, limits: BodyLimits): Promise<Json | undefined> {
  const text = await readBodyText(c.req.raw, limits, c.get('signal'))
  return text.trim() === '' ? undefined : parseJson(text)
}

/** Parses JSON. Throws `malformed-json` with the position. */
export function parseJson(text: string): Json {
  const read = readText(text, 'body.json')
  if (read.ok) return read.value
  const detail = read.problems[0]?.detail ?? 'cannot be read'
  throw new Failure('malformed-json', `the body ${detail}`, { errors: read.problems })
}

type Parsed = { readonly value: unknown } | Complaint[]

function jsonOf(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(String(error)) ?? []
    // V8 does not always report a position; the YAML parser, which accepts JSON, does.
    const [first] = line === undefined ? yaml(text, 'json').problems : []
    const place = line === undefined ? first : { line: Number(line), column: Number(column) }
    return [{ ...place, detail: 'is not valid JSON' }]
  }
}

function parseYaml(text: string): Parsed {
  const { document, problems } = yaml(text, 'core')
  if (problems.length > 0) return problems
  return { value: document.toJS({ maxAliasCount: 100 }) as unknown }
}

function yaml(text: string, schema: 'core' | 'json') {
  const lineCounter = new LineCounter()
  // With `silent`, a second document would not be reported.
  const options = { lineCounter, logLevel: 'error', prettyErrors: false } as const
  const document = parseDocument(text, { version: '1.2', schema, ...options })
  const problems = document.errors.map(({ pos, code }) => {
    const { line, col: column } = lineCounter.linePos(pos[0])
    return { line, column, detail: `is not valid YAML (${code.toLowerCase()})` }
  })
  return { document, problems }
}

/** Bounds of a document: levels of nesting, and values in total after aliases are resolved. */
const mostLevels = 64
const mostValues = 200_000
/** Keys that would change object prototypes. */
const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** A value that is valid YAML or JSON, but exceeds a bound or is no JSON; the message completes a sentence about the document. */
class UnsupportedValue extends Error {}

/** Copies a value as plain JSON: resolves aliases and drops keys that would change prototypes. */
function plainJson(value: unknown, depth: number, budget: { remaining: number }): Json {
  if (depth > mostLevels) throw new UnsupportedValue(`is nested deeper than ${mostLevels} levels`)
  if (--budget.remaining < 0) throw new UnsupportedValue(`holds more than ${mostValues} values`)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new UnsupportedValue('holds a number that is not finite')
  }
  if (Array.isArray(value)) return value.map((part) => plainJson(part, depth + 1, budget))
  if (typeof value !== 'object')
    throw new UnsupportedValue('holds something that JSON has no word for')
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !prototypeKeys.has(key))
      .map(([key, part]) => [key, plainJson(part, depth + 1, budget)]),
  )
}
