/** Runs in the form that pages for stewards show: state, counts and cause of failure; and the feed of failed runs. */

import { feedFormats } from '../../../http/feed-formats.ts'
import { type Fields, listed, memberFields, textAt, textOr } from '../../../text/json.ts'
import type { PageContext, StewardContext } from '../../context.ts'
import { html } from '../../html.ts'
import { type StateKind, stateBadge } from '../../parts/blocks.ts'
import { listAt, numberAt } from '../../record.ts'

/** Most runs in lists, and most entries of the feed; the newest ones. */
const [mostRuns, mostEntries] = [100, 50]

/** Counts of a run in the order of columns; `count-{name}` is the message of each. */
export const countNames = 'offered created updated unchanged failed removed held'.split(' ')

/**
 * State of a run → its kind, and its rank; states that need attention have low ranks. Other states (incomplete, interrupted,
 * timed out, cancelled) are `warn` with rank 2.
 */
const states: Readonly<Record<string, readonly [kind: StateKind, rank: number]>> = {
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

/**
 * Makes a run for pages. `fields` is the run as the scheduler answers it, `{ status: 'never' }` for a pipe without runs,
 * `{ status: 'unreadable' }` for a pipe file that cannot be read; `title` is that of the pipe.
 */
export function harvestRun(context: PageContext, fields: Fields, title?: string) {
  const { t, formats, pathTo } = context
  const { status, outcome, startTime, created, problem } = fields
  const [id = '', pipe = ''] = [textAt(fields, 'id'), textAt(fields, 'pipe')]
  const count = (name: string): number => numberAt(fields, `counts.${name}`)
  const decision = removalDecision(fields)
  const hasHeldRemovals = count('held') > 0 && decision === undefined
  const stage = textOr(status === 'finished' ? outcome : status) ?? ''
  const state = hasHeldRemovals && status !== 'failed' ? 'held' : stage
  const [stateKind, rank] = states[state] ?? ['warn', 2]
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
    /** Whether the run is a dry run that has finished; the scheduler does not say it of one that goes on or ended otherwise. */
    isDryRun: outcome === 'dry-run',
    /** Whether removals wait for a decision. */
    hasHeldRemovals,
    decision,
    isActive: status === 'running' || status === 'waiting',
    stateKind,
    rank,
    /** Name of the state in the language of the page. */
    label,
    badge: stateBadge(stateKind, label),
    startDate,
    link: html`<a href="${path}">${startDate}</a>`,
    cause: decision ? undefined : causeOf(context, problem),
    /** Detail of the problem that ended the run, where `cause` is a message for its type; else `undefined`. */
    detail:
      decision || problemText(context, 'cause', problem) === undefined
        ? undefined
        : textAt(problem, 'detail'),
  }
}

/** Run as `harvestRun` returns it. */
export type HarvestRun = ReturnType<typeof harvestRun>

/**
 * Last decision about the held removals of a run; `undefined` while one is needed, also after removals that failed or were
 * interrupted.
 */
export function removalDecision(run: unknown): Fields | undefined {
  const last = listAt(run, 'notes').findLast(({ action }) => action !== 'restore')
  if (last?.['action'] !== 'confirm') return last
  const [done, failed] = [numberAt(last, 'done'), numberAt(last, 'failed')]
  // Removals without counts had only started; those of an earlier process were interrupted by its end.
  const isInterrupted =
    done + failed === 0 && Date.parse(String(last['time'])) < performance.timeOrigin
  return failed > 0 || isInterrupted ? undefined : last
}

/** Message with a decision (removed, being removed, kept) and its time. */
export function decisionText({ t, formats }: PageContext, decision: Fields) {
  const count = numberAt(decision, 'done')
  const action = textAt(decision, 'action')
  const time = formats.moment(decision['time'])
  const key = action === 'confirm' && count === 0 ? 'removing' : action
  return html`${t(`decision-${key}`, { count })} (${time})`
}

/** Those of the `mostRuns` newest runs that the session may read; `query` is appended to the request. Rejects with `Failure`. */
export async function visibleRuns(context: StewardContext, query = '') {
  const [runs, pipes] = await Promise.all([
    context.ask('scheduler', `/runs?limit=${mostRuns}${query}`),
    pipesByName(context),
  ])
  return listed(runs)
    .filter((run) => context.steward.mayRead(`/runs/${textAt(run, 'id')}`, run))
    .map((run) => {
      const pipe = pipes.get(textAt(run, 'pipe') ?? '')
      return harvestRun(context, memberFields(run), textAt(pipe, 'title'))
    })
}

/** Pipes as the scheduler answers them, by name; none where it does not answer in time. */
export async function pipesByName({ ask, optional }: StewardContext) {
  const pipes = listed(await optional(ask('scheduler', '/pipes')))
  return new Map(pipes.map((pipe) => [textAt(pipe, 'name') ?? '', memberFields(pipe)]))
}

/**
 * Runs whose removals wait for a decision. A later complete run of the pipe makes the decision obsolete, because it read the
 * source again.
 */
export const waitingRuns = (runs: readonly HarvestRun[]): readonly HarvestRun[] =>
  runs.filter((run) => {
    const settles = ({ pipe, fields }: HarvestRun) =>
      pipe === run.pipe && fields['outcome'] === 'complete'
    return run.hasHeldRemovals && run === runs.find((other) => other === run || settles(other))
  })

/** Message for the type of a problem, such as `cause-item-malformed`; `undefined` where there is none. */
export function problemText({ t }: PageContext, kind: 'cause' | 'cure', problem: unknown) {
  const key = `${kind}-${textAt(problem, 'type')?.split(':').at(-1) ?? ''}`
  const text = t(key)
  return text === key ? undefined : text
}

/** Cause of a problem: the message for its type, else its detail or title. */
export const causeOf = (context: PageContext, problem: unknown): string | undefined =>
  problemText(context, 'cause', problem) ?? textAt(problem, 'detail') ?? textAt(problem, 'title')

/**
 * Atom feed (RFC 4287) of runs that need attention: failed, incomplete, with held removals, interrupted, timed out; not
 * cancelled. Newest first. Rejects with `Failure`.
 */
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
