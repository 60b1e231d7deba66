/** What was sent for each record and what was answered: tells what may stand there afterwards, and what would be a loss. */

/** The content of a record that is not there. */
export const absent = 'absent'

/** `answered` is infinite as long as nobody knows whether the write still happens. */
type Attempt = {
  readonly content: string
  readonly sent: number
  answered: number
  acknowledged: boolean
}

export type Sent = {
  readonly acknowledged: () => void
  /** Answered, but not whether it happened: if it did, it did before now. */
  readonly unsure: () => void
  /** Answered with a refusal: it did not happen. */
  readonly refused: () => void
}

export type History = {
  /** A write goes out; nothing is called on it when no answer comes. */
  readonly send: (id: string, content: string) => Sent
  /** Contents that the record may have: nothing that was acknowledged began after such a write had been answered. */
  readonly possible: (id: string) => readonly string[]
  /** What was found when nothing was under way: all that was sent before is over. */
  readonly found: (id: string, content: string) => void
}

export function history(): History {
  const attempts = new Map<string, readonly Attempt[]>()
  let clock = 0
  const of = (id: string) =>
    attempts.get(id) ?? [{ content: absent, sent: 0, answered: 0, acknowledged: true }]
  return {
    send(id, content) {
      const attempt: Attempt = {
        content,
        sent: (clock += 1),
        answered: Number.POSITIVE_INFINITY,
        acknowledged: false,
      }
      attempts.set(id, [...of(id), attempt])
      const answered = (acknowledged: boolean) => {
        attempt.answered = clock += 1
        attempt.acknowledged = acknowledged
      }
      return {
        acknowledged: () => answered(true),
        unsure: () => answered(false),
        refused: () =>
          attempts.set(
            id,
            of(id).filter((other) => other !== attempt),
          ),
      }
    },
    possible(id) {
      const sent = of(id)
      return sent
        .filter(({ answered }) => !sent.some((b) => b.acknowledged && b.sent > answered))
        .map(({ content }) => content)
    },
    found(id, content) {
      attempts.set(id, [{ content, sent: clock, answered: clock, acknowledged: true }])
    },
  }
}
