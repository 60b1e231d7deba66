/** What Virtuoso's answers mean where their status does not say it. */

import type { ServiceAnswer } from '../../client/service-exchange.ts'

/** The message; what follows it repeats the request, which may hold anything. */
const messageOf = ({ text }: ServiceAnswer): string => text.slice(0, 500).split('\n')[0] ?? ''

/**
 * Whether another try may do better: a deadlock, or a moment in which the server is not there for anybody. During a
 * checkpoint, and just after its start, it answers with 404 for addresses that it knows.
 */
export function isPassing(answer: ServiceAnswer): boolean {
  const { status } = answer
  if (status === 404 || status === 503) return true
  return status >= 500 && /\b(?:40001|SR172)\b|deadlock/i.test(messageOf(answer))
}

/** `Virtuoso 22023 Error SR553: …`: the class of the SQL state says whose fault it is. */
export function meaningOf(
  answer: ServiceAnswer,
): 'invalid-content' | 'store-full' | 'store-unavailable' {
  const message = messageOf(answer)
  const [, state = ''] = /^Virtuoso (\w{5}) Error/.exec(message) ?? []
  if (/disk|no space|file extend|SR325/i.test(message)) return 'store-full'
  if (isRefusal(answer)) return 'store-unavailable'
  return /^(?:22|37|RDF)/.test(state) ? 'invalid-content' : 'store-unavailable'
}

/** Whether the user of an update may not write. */
export const isRefusal = (answer: ServiceAnswer): boolean =>
  answer.status === 403 || /\bSR186\b|SECURITY|No permission|access denied/i.test(messageOf(answer))

/**
 * Whether an answer holds less than it should: a query that meets its time limit is answered with what there is by then, and
 * a success; longer ones fail with the same state in their text.
 */
export function isIncomplete(answer: ServiceAnswer): boolean {
  const { status, headers, text } = answer
  if (headers['x-sql-state'] === 'S1TAT') return true
  return (
    status >= 500 && /\bS1T(?:AT|00)\b|\bSR171\b/.test(`${messageOf(answer)}${text.slice(-600)}`)
  )
}
