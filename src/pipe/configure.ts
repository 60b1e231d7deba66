/** Overrides of a launch or a trigger, laid over the segment configs of a pipe. */

import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { Failure, shown } from '../errors.ts'
import type { Configs, Pipe } from './document.ts'
import { normalName } from './naming.ts'

/**
 * The pipe with the values of `configs` in place of its own: objects key by key, arrays whole, `null` as `null`. A name
 * counts for every segment of exactly that name, else for those of the same normal form. Throws `invalid-parameter`
 * naming each segment that the pipe does not have.
 */
export function configured(pipe: Pipe, configs: Configs): Pipe {
  const meant = targets(pipe, configs)
  const segments = pipe.body.segments.map((segment) => {
    const overrides = Object.keys(configs).filter((name) => meant(name, segment.header.name))
    const config = overrides.reduce<JsonObject>(
      (config, name) => laid(config, configs[name] ?? {}),
      segment.body.config,
    )
    return { ...segment, body: { ...segment.body, config } }
  })
  return { ...pipe, body: { ...pipe.body, segments } }
}

/** Whether the launch itself gives a segment of this name an address: such a one has no operator behind it. */
export function replacesAddress(pipe: Pipe, configs: Configs, segment: string): boolean {
  const meant = targets(pipe, configs)
  return Object.entries(configs).some(([name, config]) => meant(name, segment) && gives(config))
}

const addressKeys: ReadonlySet<string> = new Set(['address', 'uri', 'url', 'endpoint', 'path'])

const gives = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(gives)
    : isJsonObject(value) &&
      Object.entries(value).some(
        ([key, inner]) => addressKeys.has(key.toLowerCase()) || gives(inner),
      )

/** Which name of `configs` means which segment. */
function targets(pipe: Pipe, configs: Configs): (name: string, segment: string) => boolean {
  const names = pipe.body.segments.map((segment) => segment.header.name)
  const exact = new Set(names)
  const normal = new Set(names.map(normalName))
  const unknown = Object.keys(configs).filter(
    (name) => !exact.has(name) && !normal.has(normalName(name)),
  )
  if (unknown.length > 0) {
    const known = names.slice(0, 32).map(shown).join(', ')
    throw new Failure('invalid-parameter', 'configs names segments that the pipe does not have', {
      errors: unknown.slice(0, 100).map((name) => ({
        parameter: 'configs',
        detail: `${shown(name)} is no segment of ${shown(pipe.header.name)}; it has ${known}`,
      })),
    })
  }
  return (name, segment) =>
    exact.has(name) ? name === segment : normalName(name) === normalName(segment)
}

/** Keys that would change what every object is. */
const dangerous: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function laid(below: JsonObject, above: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...below }
  for (const [key, value] of Object.entries(above)) {
    if (dangerous.has(key)) continue
    const old = merged[key]
    merged[key] = isJsonObject(value) ? laid(isJsonObject(old) ? old : {}, value) : value
  }
  return merged
}
