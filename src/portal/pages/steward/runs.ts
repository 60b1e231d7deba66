/** Runs as pages and the feed of stewards show them: how they stand, what they counted, what went wrong. */

import { feedFormats } from '../../../http/feed-formats.ts'
import { type Fields, listed, memberFields, textAt, textOr } from '../../../text/json.ts'
import type { PageContext, StewardContext } from '../../context.ts'
import { html } from '../../html.ts'
import { type StateKind, stateBadge } from '../../parts/blocks.ts'
import { listAt, numberAt } from '../../record.ts'

/** Runs that lists and the feed show, the newest. */
const [mostRuns, mostEntries] = [100, 50]

/** What a run counts, as `count-{name}` calls it. */
export const countNames = 'offered created updated unchanged failed removed held'.split(' ')

/** Signs of states, and ranks that are low where somebody is needed most. */
const states: Readonly<Record<string, readonly [sign: StateKind, rank: number]>> = {
  unreadable: ['bad', 0],
  failed: ['bad', 0],
  held: ['warn', 1],
  running: ['run', 3],
  waiting: ['run', 3],
  never: ['idle', 4],
  'dry-run': ['idle', 4],
  'not-modified': ['good', 5],
  complete: ['good', 5],
}

/** A run out of what the scheduler says of it, and what its pipe is called; `{ status: 'never' }` stands for none. */
export function harvestRun(context: PageContext, fields: Fields, title?: string) {
  const { t, formats, pathTo } = context
  const { status, outcome, startTime, created, problem } = fields
  const [id = '', pipe = ''] = [textAt(fields, 'id'), textAt(fields, 'pipe')]
  const count = (name: string): number => numberAt(fields, `counts.${name}`)
  const decision = removalDecision(fields)
  const isHeld = count('held') > 0 && decision === undefined
  const stage = textOr(status === 'finished' ? outcome : status) ?? ''
  const state = isHeld && status !== 'failed' ? 'held' : stage
  const [sign, rank] = states[state] ?? ['warn', 2]
  const label = t(`run-${state}`)
  const path = pathTo('harvest', 'runs', id)
  const startDate = formats.moment(startTime ?? created)
  return {
    fields,
    id,
    pipe,
    title: title ?? pipe,
    path,
    count,
    isReal: outcome !== 'dry-run',
    isHeld,
    decision,
    isActive: status === 'running' || status === 'waiting',
    sign,
    rank,
    /** How it stands, in a word. */
    label,
    badge: stateBadge(sign, label),
    begun: startDate,
    link: html`<a href="${path}">${startDate}</a>`,
    cause: decision ? undefined : causeOf(context, problem),
    /** The `detail` of the problem that ended the run (RFC 9457), beside our sentence for its type; absent without one. */
    detail:
      decision || problemText(context, 'cause', problem) === undefined
        ? undefined
        : textAt(problem, 'detail'),
  }
}

export type HarvestRun = ReturnType<typeof harvestRun>

/** The last decision about the removals that a run held back; absent while one is needed, as after removals that failed or were cut off. */
export function removalDecision(run: unknown): Fields | undefined {
  const last = listAt(run, 'notes').findLast(({ action }) => action !== 'restore')
  if (last?.['action'] !== 'confirm') return last
  const [done, failed] = [numberAt(last, 'done'), numberAt(last, 'failed')]
  // Without counts it had only begun; the end of a process ends what it was doing.
  const isCutOff = done + failed === 0 && Date.parse(String(last['time'])) < performance.timeOrigin
  return failed > 0 || isCutOff ? undefined : last
}

/** What was decided and when, in a sentence: removed, being removed, or kept. */
export function decisionText({ t, formats }: PageContext, decision: Fields) {
  const count = numberAt(decision, 'done')
  const action = textAt(decision, 'action')
  const time = formats.moment(decision['time'])
  const key = action === 'confirm' && count === 0 ? 'removing' : action
  return html`${t(`decision-${key}`, { count })} (${time})`
}

/** The newest runs that the session may see. Rejects with `Failure`. */
export async function visibleRuns(context: StewardContext, query = '') {
  const [found, pipes] = await Promise.all([
    context.ask('scheduler', `/runs?limit=${mostRuns}${query}`),
    pipesByName(context),
  ])
  return listed(found)
    .filter((run) => context.steward.mayRead(`/runs/${textAt(run, 'id')}`, run))
    .map((run) => {
      const pipe = pipes.get(textAt(run, 'pipe') ?? '')
      return harvestRun(context, memberFields(run), textAt(pipe, 'title'))
    })
}

/** What the scheduler says of its pipes, by their names; none where it does not answer in time. */
export async function pipesByName({ ask, optional }: StewardContext) {
  const pipes = listed(await optional(ask('scheduler', '/pipes')))
  return new Map(pipes.map((pipe) => [textAt(pipe, 'name') ?? '', memberFields(pipe)]))
}

/** The runs whose removals wait for consent. A later complete run of the pipe settles them, because it has looked again. */
export const waitingRuns = (runs: readonly HarvestRun[]): readonly HarvestRun[] =>
  runs.filter((run) => {
    const settles = ({ pipe, fields }: HarvestRun) =>
      pipe === run.pipe && fields['outcome'] === 'complete'
    return run.isHeld && run === runs.find((one) => one === run || settles(one))
  })

/** A text of ours for a kind of problem, such as `cause-item-malformed`; absent where there is none. */
export function problemText({ t }: PageContext, kind: 'cause' | 'cure', problem: unknown) {
  const key = `${kind}-${textAt(problem, 'type')?.split(':').at(-1) ?? ''}`
  const text = t(key)
  return text === key ? undefined : text
}

/** What went wrong, in words of ours for its kind, else in those of the service. */
export const causeOf = (context: PageContext, problem: unknown): string | undefined =>
  problemText(context, 'cause', problem) ?? textAt(problem, 'detail') ?? textAt(problem, 'title')

/** Failed, incomplete, held and interrupted runs, the newest first, as Atom (RFC 4287). Rejects with `Failure`. */
export async function failureFeed(context: StewardContext): Promise<string> {
  const { t, language, root, pathInLanguage, config, pathTo, configuredText } = context
  const entryOf = ({ fields, path, pipe, label, cause }: HarvestRun) => {
    const page = new URL(path, root).href
    const time = ['endTime', 'startTime', 'created'].flatMap((key) => textAt(fields, key) ?? [])[0]
    return {
      iri: page,
      page,
      isHtml: true,
      title: { text: `${pipe}: ${label}`, language },
      summary: cause === undefined ? cause : { text: cause, language },
      updated: new Date(time ?? 0),
    }
  }
  const runs = (await visibleRuns(context)).filter(
    ({ rank, fields }) => rank <= 2 && fields['status'] !== 'cancelled',
  )
  const entries = runs.slice(0, mostEntries).map(entryOf)
  const name = configuredText(config.name)
  const self = `${root}${language}/${pathInLanguage}`
  return feedFormats.atom.write({
    language,
    title: `${t('failures-feed')} – ${name}`,
    description: '',
    author: name,
    site: new URL(pathTo('harvest'), root).href,
    pages: { feed: self, self, first: self, last: self },
    updated: entries[0]?.updated ?? new Date(0),
    entries,
  })
}
