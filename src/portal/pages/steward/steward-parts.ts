/** What the pages of stewards share: answers of the scheduler, the menu, states of runs, buttons. */

import type { Fields } from '../../../text/json.ts'
import type { PageContext } from '../../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import { crumbs, type Sign, stateMark } from '../../parts/blocks.ts'
import { askJson } from '../../ports.ts'
import { fieldsAt, listed, memberFields, textAt, textOr } from '../../record.ts'

/** Runs that lists show, the newest. */
export const mostRuns = 100

export const countNames = [
  'offered',
  'created',
  'updated',
  'unchanged',
  'failed',
  'removed',
  'held',
] as const

/**
 * An answer of the scheduler, asked with the rights of this process: pages show of it what `mayRead` allows. Throws `ServiceRefusal`
 * and `Failure`.
 */
export function askScheduler({ ports, signal }: PageContext, path: string): Promise<unknown> {
  const { scheduler, authority } = ports
  if (!scheduler || !authority) throw new Error('no scheduler')
  return askJson(scheduler, path, { signal, headers: authority() })
}

/** Whether the session may see what belongs to a catalogue; without one, it belongs to the whole platform. */
export const mayRead = (
  context: PageContext | undefined,
  path: string,
  catalogue: unknown,
): boolean => context?.steward?.may({ method: 'GET', path, catalogue: textOr(catalogue) }) === true

/** The newest runs that the session may see. */
export async function visibleRuns(context: PageContext): Promise<readonly Fields[]> {
  const runs = listed(await askScheduler(context, `/runs?limit=${mostRuns}`)).map(memberFields)
  return runs.filter((run) => mayRead(context, `/runs/${textAt(run, 'id')}`, run['catalogue']))
}

export const countsOf = (run: Fields | undefined): Fields => fieldsAt(run, 'counts')
export const numberOr = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** How a run ended, in a word, with a sign; low ranks need somebody most. */
export function stateOf(
  { t }: Pick<PageContext, 't'>,
  run: Fields | undefined,
): { readonly sign: Sign; readonly label: string; readonly rank: number } {
  const status = textAt(run, 'status')
  const outcome = textAt(run, 'outcome')
  if (!run) return { sign: 'idle', label: t('run-never'), rank: 4 }
  if (status === 'failed' || outcome === 'failed')
    return { sign: 'bad', label: t('run-failed'), rank: 0 }
  if (isHeld(run)) return { sign: 'warn', label: t('run-held'), rank: 1 }
  if (status === 'running' || status === 'queued')
    return { sign: 'run', label: t(`run-${status}`), rank: 3 }
  if (outcome === 'dry-run') return { sign: 'idle', label: t('dry-run'), rank: 4 }
  if (status !== 'finished') return { sign: 'warn', label: t(`run-${status}`), rank: 2 }
  return outcome === 'incomplete'
    ? { sign: 'warn', label: t('run-incomplete'), rank: 2 }
    : { sign: 'good', label: t('run-complete'), rank: 5 }
}

/** Whether removals of a run wait for consent. */
export const isHeld = (run: Fields): boolean => numberOr(countsOf(run)['held']) > 0

/** Whether a run wrote what it found. */
export const isReal = (run: Fields): boolean => run['outcome'] !== 'dry-run'

/** Of each pipe its newest run, where that waits: an older one cannot be confirmed any more. */
export function waitingRuns(runs: readonly Fields[]): readonly Fields[] {
  const real = runs.filter(isReal)
  return real.filter(
    (run, at) => isHeld(run) && real.findIndex(({ pipe }) => pipe === run['pipe']) === at,
  )
}

/** The state of a run in a word. */
export const runState = (context: PageContext, run: Fields | undefined): HtmlMarkup => {
  const { sign, label } = stateOf(context, run)
  return stateMark(sign, label)
}

/** Slug of a problem: `item-no-identifier`. */
export const problemSlug = (problem: unknown): string =>
  textAt(problem, 'type')?.split(':').at(-1) ?? ''

/** What went wrong, in words of ours for its kind, else in those of the service. */
export function causeOf({ t }: PageContext, problem: unknown): string | undefined {
  const { title, detail } = memberFields(problem)
  const key = `cause-${problemSlug(problem)}`
  return t(key) === key ? (textOr(detail) ?? textOr(title)) : t(key)
}

/** Whether the session may run a pipe: a permission for one catalogue does not say so. */
const mayRun = ({ steward }: PageContext, pipe: string): boolean =>
  steward?.may({ method: 'POST', path: `/pipes/${pipe}/runs` }) === true

/** Buttons that start a pipe, where the session may. */
export function runButtons(context: PageContext, pipe: string, run: string): HtmlContent {
  if (!mayRun(context, pipe)) return false
  const { t, pathTo } = context
  const self = pathTo('harvest', 'pipes', pipe)
  const named = html`<span class="vh"> ${pipe}</span>`
  return html`${actionForm(
    context,
    self,
    'run',
    html`${icon('play')}
    ${run}${named}`,
  )}${actionForm(context, self, 'dry', html`${t('dry-run')}${named}`)}`
}

const styles: Readonly<Record<string, string>> = { cancel: 'danger', dry: 'quiet' }

const formToken = ({ steward }: PageContext): HtmlMarkup =>
  html`<input type="hidden" name="_csrf" value="${steward?.token}">`

/** A form of the session: what stands in it goes to a path, with the token that other sites do not know. */
export const ownForm = (
  context: PageContext,
  path: string,
  body: HtmlContent,
  style = 'section',
): HtmlMarkup =>
  html`<form class="${style}" method="post" action="${path}">${formToken(context)}${body}</form>`

/** A button that does something. */
export const actionForm = (
  context: PageContext,
  path: string,
  name: string,
  label: HtmlContent,
): HtmlMarkup =>
  html`<form class="row" method="post" action="${path}">${formToken(context)}<button
    class="button small ${styles[name]}" name="do" value="${name}">${label}</button></form>`

type Tab = 'sources' | 'runs' | 'waiting' | 'deleted'

const tabs: Readonly<Record<Tab, readonly string[]>> = {
  sources: ['harvest'],
  runs: ['harvest', 'runs'],
  waiting: ['harvest', 'waiting'],
  deleted: ['harvest', 'deleted'],
}

function stewardMenu(context: PageContext, current: Tab, waiting: number | undefined): HtmlMarkup {
  const { t, pathTo } = context
  const entries = Object.entries(tabs).map(([key, steps]) => {
    const count = key === 'waiting' && waiting ? ` (${context.formats.number(waiting)})` : ''
    const here = key === current && html` aria-current="page"`
    return html`<li><a href="${pathTo(...steps)}"${here}>${t(`steward-${key}`)}${count}</a></li>`
  })
  return html`
    <nav class="steward" aria-label="${t('steward-pages')}"><ul role="list">${entries}
      <li><form method="post" action="${pathTo('sign-out')}">${formToken(context)}<button>${t('sign-out')}</button></form></li>
    </ul></nav>`
}

type StewardContent = {
  readonly title: string
  readonly tab: Tab
  /** Runs that wait for consent, where the page knows. */
  readonly waiting?: number
  /** Pipe that the page is about: a step between the sources and the page. */
  readonly pipe?: string
  /** Beside the heading. */
  readonly actions?: HtmlContent
  readonly body: HtmlContent
  readonly head?: HtmlContent
}

/** What an action did, said on the page that it leads to: `?did=` is one of these. */
const deeds: ReadonlySet<string> = new Set([
  'confirm',
  'keep',
  'restore',
  'cancel',
  'retry',
  'resume',
  'schedule',
  'unschedule',
])

function deed({ t, place }: PageContext): HtmlContent {
  const did = new URL(place, 'http://page').searchParams.get('did') ?? ''
  return (
    deeds.has(did) &&
    html`<div class="close" role="status"><div class="notice good">${icon('circle-check')}<div><p>${t(`did-${did}`)}</p></div></div></div>`
  )
}

/** A page for stewards: never in search engines, with the menu of all of them. */
export function stewardPage(context: PageContext, content: StewardContent): PageContent {
  const { title, tab, waiting, pipe, actions, body, head } = content
  const steps = [
    { href: context.pathTo('harvest'), label: context.t('steward-sources') },
    { href: context.pathTo('harvest', 'pipes', pipe ?? ''), label: pipe },
  ]
  return {
    title,
    section: 'harvest',
    isIndexed: false,
    head,
    body: html`${stewardMenu(context, tab, waiting)}
      ${pipe !== undefined && crumbs(context, ...steps)}
      <div class="section-head"><h1>${title}</h1>${actions && html`<div class="row">${actions}</div>`}</div>
      ${deed(context)} ${body}`,
  }
}

/** A record of a run: its title leads to its page, where it has one. */
export function recordLink(context: PageContext, item: Fields): HtmlContent {
  const title =
    textAt(item, 'title') ??
    textAt(item, 'originalId') ??
    textAt(item, 'sourceId') ??
    context.t('untitled')
  const id = textAt(item, 'platformId')
  return id === undefined
    ? html`<bdi>${title}</bdi>`
    : html`<a href="${context.pathTo('datasets', id)}">${title}</a>`
}
