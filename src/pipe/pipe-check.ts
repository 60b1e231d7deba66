/** What each segment of a pipe is told about its place, and what its config has against it there. */

import { type Complaint, shown } from '../errors.ts'
import { durationMs } from '../text/duration.ts'
import { type Secrets, unknownSecrets } from '../secrets.ts'
import { replacesAddress } from './configure.ts'
import type { Placement } from './discovery.ts'
import type { Configs, Pipe, Segment } from './document.ts'
import { normalName } from './naming.ts'
import type { ConfigProblem, SegmentPlace } from './segment.ts'

/** Where a pipe comes from. */
export type Origin = {
  readonly trust: 'trusted' | 'foreign'
  readonly directory: string
  /** What the launch lays over the pipe, which holds it already. */
  readonly configs?: Configs
}

/** One place per segment, in their order. A segment whose address the launch replaces is a foreign one. */
export function placesIn(pipe: Pipe, origin: Origin): SegmentPlace[] {
  const { segments } = pipe.body
  return segments.map(({ header }, index) => {
    const next = segments[index + 1]?.header.name
    const catalogue = catalogueOf(segments.slice(0, index))
    const moved = replacesAddress(pipe, origin.configs ?? {}, header.name)
    return {
      trust: moved ? 'foreign' : origin.trust,
      directory: origin.directory,
      ...(next !== undefined && { next: normalName(next) }),
      ...(catalogue !== undefined && { catalogue }),
    }
  })
}

/** The catalogue that the first segment to name one names. */
export function catalogueOf(segments: readonly Segment[]): string | undefined {
  for (const { body } of segments) {
    const named = body.config['catalogue']
    if (typeof named === 'string' && named !== '') return named
  }
  return undefined
}

/** Complaints about configs and unknown segments, placed by JSON pointers; such a pipe is listed and cannot be launched. */
export function pipeCheck(
  resolve: (segment: Segment) => Placement,
): (pipe: Pipe, origin: Origin) => readonly Complaint[] {
  return (pipe, origin) => {
    const places = placesIn(pipe, origin)
    return pipe.body.segments.flatMap((segment, index) => {
      const found = resolve(segment)
      const pointer = `/body/segments/${index}`
      const late = deadlineCheck(segment, pointer)
      if (found.kind === 'unknown') {
        const detail = `${shown(segment.header.name)} is no known segment; known are ${found.known.join(', ')}`
        return [{ pointer: `${pointer}/header/name`, detail }, ...late]
      }
      const place = places[index]
      if (found.kind !== 'built-in') return [...late, ...settingsCheck(segment, pointer)]
      if (place === undefined) return late
      const opened = found.segment.open(segment.body.config, place)
      if (opened.ok) return late
      return [...configComplaints(index, opened.problems), ...late]
    })
  }
}

/** Complaints about the config of the segment at that place of a pipe. */
export const configComplaints = (
  index: number,
  problems: readonly ConfigProblem[],
): readonly Complaint[] =>
  problems.map(({ key, detail }) => ({
    pointer: `/body/segments/${index}/body/config${key === '' ? '' : `/${key.replaceAll('.', '/')}`}`,
    detail: `${key} ${detail}`.trim(),
  }))

/** What the config of a segment of others may say for its pipe, as whole numbers: two times in ms, and a number of records. */
export const segmentSettings = ['firstMs', 'quietMs', 'inFlight'] as const

/** What a setting of a foreign segment says; `undefined` where that is nothing. */
export function settingOf(
  { body }: Segment,
  name: (typeof segmentSettings)[number],
): number | undefined {
  const value = body.config[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

function settingsCheck(segment: Segment, pointer: string): readonly Complaint[] {
  return segmentSettings
    .filter((name) => Object.hasOwn(segment.body.config, name))
    .filter((name) => settingOf(segment, name) === undefined)
    .map((name) => ({
      pointer: `${pointer}/body/config/${name}`,
      detail: `${name} must be a whole number from 1`,
    }))
}

/** The deadlines that segments give to the run, in ms; the shortest one counts. */
export const deadlinesOf = ({ body }: Pipe): readonly number[] =>
  body.segments.flatMap((segment) => deadlineOf(segment) ?? [])

/** Any segment may give one, those of other processes too. `null` is none. */
function deadlineOf({ body }: Segment): number | undefined {
  const text = body.config['deadline']
  return typeof text === 'string' ? durationMs(text) : undefined
}

function deadlineCheck(segment: Segment, pointer: string): readonly Complaint[] {
  const given = segment.body.config['deadline']
  if (given === undefined || given === null || deadlineOf(segment) !== undefined) return []
  const detail = 'deadline must be an ISO 8601 duration such as PT6H'
  return [{ pointer: `${pointer}/body/config/deadline`, detail }]
}

// Secrets in the configs of a pipe: references that nobody configured, and literals that must not be shown.

/**
 * Makes the literals of a pipe known to the registry, and complains about references of our own segments that lead nowhere;
 * what a foreign segment calls a secret is its own business.
 */
export function secretCheck(
  resolve: (segment: Segment) => Placement,
  secrets: Secrets,
): (pipe: Pipe) => readonly Complaint[] {
  return (pipe) =>
    pipe.body.segments.flatMap((segment, index) => {
      const found = unknownSecrets(segment.body.config, secrets)
      if (resolve(segment).kind !== 'built-in') return []
      return found.map(({ pointer = '', detail }) => ({
        pointer: `/body/segments/${index}/body/config${pointer}`,
        detail,
      }))
    })
}
