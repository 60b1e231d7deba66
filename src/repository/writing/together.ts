/** Asks the store about many things at once when many ask: one question costs nearly as much as fifty. */

import { setImmediate } from 'node:timers/promises'

type Waiting<Asked, Answer> = PromiseWithResolvers<Answer> & { readonly asked: Asked }

const atMost = 500

/**
 * One question at a time; what is asked meanwhile goes into the next one, so that each answer is younger than its question.
 * `find` answers in the order of what it was asked; when it fails, all who asked with it fail.
 */
export function together<Asked, Answer>(
  find: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = []
  let running = false

  const run = async () => {
    running = true
    while (waiting.length > 0) {
      // What comes in with the same turn goes along.
      await setImmediate()
      await settle(waiting.splice(0, atMost))
    }
    running = false
  }
  const settle = async (batch: readonly Waiting<Asked, Answer>[]) => {
    try {
      const answers = await find(batch.map(({ asked }) => asked))
      for (const [at, answer] of answers.entries()) batch[at]?.resolve(answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (asked) => {
    const one = { ...Promise.withResolvers<Answer>(), asked }
    waiting.push(one)
    if (!running) void run()
    return one.promise
  }
}
