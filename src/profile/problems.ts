/** Collects everything that is wrong with a profile, so that one message can name it all. */

type Place = {
  readonly file: string
  readonly shape?: string
  readonly property?: string
}

export type Problems = {
  /** The process must not start. */
  add(place: Place, problem: string): void
  /** Worth a line in the log. */
  warn(place: Place, problem: string): void
  readonly warnings: readonly string[]
  /** Throws one Error that names every problem; does nothing when there is none. */
  raise(directory: string): void
}

const sentence = (place: Place, problem: string) =>
  [
    place.file,
    place.shape && `shape <${place.shape}>`,
    place.property && `property ${place.property}`,
  ]
    .filter(Boolean)
    .join(', ') + `: ${problem}`

export function collectProblems(): Problems {
  const problems = new Set<string>()
  const warnings: string[] = []
  return {
    add: (place, problem) => void problems.add(sentence(place, problem)),
    warn: (place, problem) => void warnings.push(sentence(place, problem)),
    warnings,
    raise(directory) {
      if (problems.size === 0) return
      throw new Error(
        `The profile in ${directory} cannot be used:\n${[...problems].map((line) => `- ${line}`).join('\n')}`,
      )
    },
  }
}
