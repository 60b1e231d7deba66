/** Collects the problems of a profile, so that one message can name all of them. */

import { compareCodePoints } from '../text/code-points.ts'

/** Place in the files of a profile; lines count from 1. */
export type ProfilePlace = {
  readonly file: string
  readonly line?: number
  readonly shape?: string
  readonly property?: string
}

/** List of the problems and warnings of a profile. */
export type Problems = {
  /** Adds a problem that prevents the start. */
  add(place: ProfilePlace, problem: string): void
  /** Adds a warning for the log. */
  warn(place: ProfilePlace, problem: string): void
  readonly warnings: readonly string[]
  /** Throws one Error that names every problem, by file and line; does nothing when there is none. */
  throwIfAny(directory: string): void
}

/** `shapes.ttl:12, shape <…>, property title: …` */
const sentence = ({ file, line, shape, property }: ProfilePlace, problem: string) =>
  [
    line === undefined ? file : `${file}:${line}`,
    shape && `shape <${shape}>`,
    property && `property ${property}`,
  ]
    .filter(Boolean)
    .join(', ') + `: ${problem}`

/** Compares places by file, then by line. */
const byPlace = (a: ProfilePlace, b: ProfilePlace) =>
  compareCodePoints(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)

/** Creates an empty list of problems; each problem is reported once. */
export function collectProblems(): Problems {
  const problems = new Map<string, ProfilePlace>()
  const warnings: string[] = []
  return {
    add: (place, problem) => void problems.set(sentence(place, problem), place),
    warn(place, problem) {
      const warning = sentence(place, problem)
      if (!warnings.includes(warning)) warnings.push(warning)
    },
    warnings,
    throwIfAny(directory) {
      if (problems.size === 0) return
      const lines = [...problems].sort(([, a], [, b]) => byPlace(a, b)).map(([text]) => `- ${text}`)
      throw new Error(`The profile in ${directory} cannot be used:\n${lines.join('\n')}`)
    },
  }
}
