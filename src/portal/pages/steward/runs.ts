/** Runs as pages of stewards show them: how they stand, what they counted, what went wrong. */

import type { Fields } from '../../../text/json.ts'
import type { PageContext, StewardContext } from '../../context.ts'
import { html } from '../../html.ts'
import { type Sign, stateMark } from '../../parts/blocks.ts'
import { listed, memberFields, numberAt, textAt, textOr } from '../../record.ts'

/** Runs that lists show, the newest. */
const mostRuns = 100

/** What a run counts, as `count-{name}` calls it. */
export const countNames = 'offered created updated unchanged failed removed held'.split(' ')

/** Signs of states, and ranks that are low where somebody is needed most. */
const states: Readonly<Record<string, readonly [sign: Sign, rank: number]>> = {
  'run-unreadable': ['bad', 0],
  'run-failed': ['bad', 0],
  'run-held': ['warn', 1],
  'run-running': ['run', 3],
  'run-waiting': ['run', 3],
  'run-never': ['idle', 4],
  'dry-run': ['idle', 4],
  'run-complete': ['good', 5],
}

/** A run out of what the scheduler says of it; `{ status: 'never' }` stands for none. */
export function harvestRun(context: PageContext, fields: Fields) {
  const { t, formats, pathTo } = context
  const { status, outcome, startTime, created } = fields
  const [id = '', pipe = ''] = [textAt(fields, 'id'), textAt(fields, 'pipe')]
  const count = (name: string): number => numberAt(fields, `counts.${name}`)
  const isReal = outcome !== 'dry-run'
  const isHeld = count('held') > 0
  const ended = outcome === 'incomplete' ? 'run-incomplete' : 'run-complete'
  const finished = isReal ? ended : 'dry-run'
  const key =
    isHeld && status !== 'failed'
      ? 'run-held'
      : status === 'finished'
        ? finished
        : `run-${textOr(status)}`
  const [sign, rank] = states[key] ?? ['warn', 2]
  const path = pathTo('harvest', 'runs', id)
  const begun = formats.moment(startTime ?? created)
  return {
    fields,
    id,
    pipe,
    path,
    count,
    isReal,
    isHeld,
    isActive: status === 'running' || status === 'waiting',
    sign,
    rank,
    /** How it stands, in a word. */
    label: t(key),
    mark: stateMark(sign, t(key)),
    begun,
    link: html`<a href="${path}">${begun}</a>`,
    cause: causeOf(context, fields['problem']),
  }
}

export type HarvestRun = ReturnType<typeof harvestRun>

/** The newest runs that the session may see. Rejects with `ServiceRefusal` and `Failure`. */
export async function visibleRuns(context: StewardContext, query = '') {
  const found = await context.ask('scheduler', `/runs?limit=${mostRuns}${query}`)
  return listed(found)
    .filter((run) => context.steward.mayRead(`/runs/${textAt(run, 'id')}`, run))
    .map((run) => harvestRun(context, memberFields(run)))
}

/** Of each pipe its newest real run, where that waits for consent: an older one cannot be confirmed any more. */
export const waitingRuns = (runs: readonly HarvestRun[]): readonly HarvestRun[] =>
  runs.filter(
    (run) => run.isHeld && run === runs.find(({ isReal, pipe }) => isReal && pipe === run.pipe),
  )

/** A text of ours for a kind of problem, such as `cause-item-malformed`; absent where there is none. */
export function problemText({ t }: PageContext, kind: 'cause' | 'cure', problem: unknown) {
  const key = `${kind}-${textAt(problem, 'type')?.split(':').at(-1) ?? ''}`
  const text = t(key)
  return text === key ? undefined : text
}

/** What went wrong, in words of ours for its kind, else in those of the service. */
export const causeOf = (context: PageContext, problem: unknown): string | undefined =>
  problemText(context, 'cause', problem) ?? textAt(problem, 'detail') ?? textAt(problem, 'title')
