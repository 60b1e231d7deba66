/** Checks the configs of a pipe's segments, when its file is read and when its run is created and starts; applies overrides. */

import { type Complaint, Failure, shown } from '../errors.ts'
import { type Secrets, unknownSecrets } from '../secrets.ts'
import { durationMs } from '../text/duration.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { normalName, type Placement } from './segment-resolver.ts'
import type { Configs, Pipe, Segment } from './document.ts'
import type { ConfigProblem, SegmentPlace } from './segment.ts'

/** Origin of a pipe: whether the operator wrote it, the directory of its scripts, and the overrides of the launch. */
export type Origin = {
  readonly trust: 'trusted' | 'foreign'
  readonly directory: string
  /** Overrides of the launch, which the pipe already contains. */
  readonly configs?: Configs
}

/** Place of each segment, in order. A segment in which the launch overrides an address is `foreign`. */
export function segmentPlaces(
  pipe: Pipe,
  { trust, directory, configs = {} }: Origin,
): SegmentPlace[] {
  const { segments } = pipe.body
  return segments.map(({ header }, index) => {
    const next = segments[index + 1]?.header.name
    return {
      trust: replacesAddress(pipe, configs, header.name) ? 'foreign' : trust,
      directory,
      next: next === undefined ? undefined : normalName(next),
      catalogue: catalogueOf(segments.slice(0, index)),
    }
  })
}

/** Id of the first catalogue that is named in the config of a segment. */
export function catalogueOf(segments: readonly Segment[]): string | undefined {
  const catalogues = segments.map(({ body }) => body.config['catalogue'])
  return catalogues.find(
    (catalogue): catalogue is string => typeof catalogue === 'string' && catalogue !== '',
  )
}

/**
 * Returns the check of a pipe: complaints about configs and unknown segments, with JSON pointers. A pipe with complaints is
 * listed but cannot be launched.
 */
export function pipeCheck(
  resolve: (segment: Segment) => Placement,
): (pipe: Pipe, origin: Origin) => readonly Complaint[] {
  return (pipe, origin) => {
    const places = segmentPlaces(pipe, origin)
    return pipe.body.segments.flatMap((segment, index) => {
      const placement = resolve(segment)
      const complaints = deadlineProblems(segment)
      if (placement.kind === 'unknown') {
        const detail = `${shown(segment.header.name)} is not a known segment; known segments: ${placement.knownNames.join(', ')}`
        const unknown = { pointer: `/body/segments/${index}/header/name`, detail }
        return [unknown, ...configComplaints(index, complaints)]
      }
      if (placement.kind !== 'built-in') {
        return configComplaints(index, [...complaints, ...settingProblems(segment)])
      }
      const opened = placement.segment.open(
        segment.body.config,
        places[index] ?? { trust: 'foreign' },
      )
      return configComplaints(index, [...(opened.ok ? [] : opened.problems), ...complaints])
    })
  }
}

/** Complaints about the config of the segment at `index`, with JSON pointers. */
export const configComplaints = (
  index: number,
  problems: readonly ConfigProblem[],
): readonly Complaint[] =>
  problems.map(({ key, detail }) => ({
    pointer: `/body/segments/${index}/body/config${key === '' ? '' : `/${key.replaceAll('.', '/')}`}`,
    detail: `${key} ${detail}`.trim(),
  }))

/** Settings of a foreign segment in its config: two durations in ms and a number of records. */
export const segmentSettings = ['firstMs', 'quietMs', 'inFlight'] as const

/** Value of a setting of a foreign segment; `undefined` if it is absent or invalid. */
export function settingOf(
  { body }: Segment,
  name: (typeof segmentSettings)[number],
): number | undefined {
  const value = body.config[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

const settingProblems = (segment: Segment): readonly ConfigProblem[] =>
  segmentSettings
    .filter((name) => Object.hasOwn(segment.body.config, name))
    .filter((name) => settingOf(segment, name) === undefined)
    .map((key) => ({ key, detail: 'must be a whole number, 1 or more' }))

/** Deadlines of a pipe's segments in ms; the shortest one applies to the run. */
export const deadlinesOf = ({ body }: Pipe): readonly number[] =>
  body.segments.flatMap((segment) => deadlineOf(segment) ?? [])

/** Deadline in the config of any segment, built-in or foreign; `null` means none. */
function deadlineOf({ body }: Segment): number | undefined {
  const { deadline } = body.config
  return typeof deadline === 'string' ? durationMs(deadline) : undefined
}

function deadlineProblems(segment: Segment): readonly ConfigProblem[] {
  const { deadline = null } = segment.body.config
  return deadline === null || deadlineOf(segment) !== undefined
    ? []
    : [{ key: 'deadline', detail: 'must be an ISO 8601 duration such as PT6H' }]
}

/**
 * Returns a check that registers the literal secrets of a pipe for redaction and complains about unknown secret references of
 * built-in segments. Configs of foreign segments are not checked.
 */
export function secretCheck(
  resolve: (segment: Segment) => Placement,
  secrets: Secrets,
): (pipe: Pipe) => readonly Complaint[] {
  return (pipe) =>
    pipe.body.segments.flatMap((segment, index) => {
      const problems = unknownSecrets(segment.body.config, secrets)
      if (resolve(segment).kind !== 'built-in') return []
      return problems.map(({ pointer = '', detail }) => ({
        pointer: `/body/segments/${index}/body/config${pointer}`,
        detail,
      }))
    })
}

// Overrides of a launch or a trigger for the configs of segments.

/**
 * Merges `configs` into a pipe: objects key by key, arrays as a whole, `null` as `null`. A name applies to the segments with
 * exactly that name, else to those with the same normal form. Throws `invalid-parameter` with each name that matches no
 * segment.
 */
export function withConfigs(pipe: Pipe, configs: Configs): Pipe {
  const overrides = overridesOf(pipe, configs)
  const segments = pipe.body.segments.map((segment) => {
    const config = overrides(segment.header.name).reduce(mergeConfigs, segment.body.config)
    return { ...segment, body: { ...segment.body, config } }
  })
  return { ...pipe, body: { ...pipe.body, segments } }
}

/** Whether `configs` set an address in the segment; the operator has not approved such an address. */
export const replacesAddress = (pipe: Pipe, configs: Configs, segment: string): boolean =>
  overridesOf(pipe, configs)(segment).some(hasAddress)

const addressKeys: ReadonlySet<string> = new Set(['address', 'uri', 'url', 'endpoint', 'path'])

const hasAddress = (value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([key, inner]) => addressKeys.has(key.toLowerCase()) || hasAddress(inner),
  )

/** Returns a function that finds the overrides for a segment name. */
function overridesOf(pipe: Pipe, configs: Configs): (segment: string) => readonly JsonObject[] {
  const names = pipe.body.segments.map(({ header }) => header.name)
  const normalNames = names.map(normalName)
  const unknown = Object.keys(configs).filter(
    (name) => !names.includes(name) && !normalNames.includes(normalName(name)),
  )
  if (unknown.length > 0) {
    const segmentNames = names.slice(0, 32).map(shown).join(', ')
    const errors = unknown.slice(0, 100).map((name) => ({
      parameter: 'configs',
      detail: `${shown(name)} is not a segment of ${shown(pipe.header.name)}, which has ${segmentNames}`,
    }))
    const detail = 'configs names segments that the pipe does not have'
    throw new Failure('invalid-parameter', detail, { errors })
  }
  return (segment) =>
    Object.entries(configs).flatMap(([name, config]) => {
      const isMatch = names.includes(name)
        ? name === segment
        : normalName(name) === normalName(segment)
      return isMatch ? [config] : []
    })
}

/** Keys that would change object prototypes; they are dropped. */
const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Merges an override into a config; the override wins. */
function mergeConfigs(base: JsonObject, override: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...base }
  for (const [key, value] of Object.entries(override)) {
    if (prototypeKeys.has(key)) continue
    const baseValue = merged[key]
    merged[key] = isJsonObject(value)
      ? mergeConfigs(isJsonObject(baseValue) ? baseValue : {}, value)
      : value
  }
  return merged
}
