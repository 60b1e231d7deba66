/** Page of the work that waits for a person: drafts, held removals and failing sources of stewards, and keys that end soon. */

import { cataloguesOf, hasRole } from '../../http/roles.ts'
import { type Fields, listed, memberFields, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, icon, joinHtml } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { type HarvestRun, visibleRuns, waitingRuns } from '../pages/steward/runs.ts'
import { stewardPage } from '../pages/steward/steward-parts.ts'
import { headedSection, pageSection } from '../parts/blocks.ts'
import { listAt, numberAt } from '../record.ts'
import { bulkForm, bulkOutcome, type BulkResult, bulkTick } from './bulk-actions.ts'
import { deskHead } from './desk-frame.ts'
import { draftLink, draftTitle, linkIf, listDrafts, ownCatalogues } from './desk-lists.ts'
import { outcome } from './outcome.ts'
import { isEndingSoon, mostAccounts } from './people-page.ts'

/** Most drafts in a state, and most types of records, that are looked through. */
const [mostWaiting, mostTypes] = [100, 20]

/** Drafts of types that wait for the person: sent back, to be reviewed by the person, or to be published at a time. */
export async function waitingDrafts(
  context: StewardContext,
  types: readonly string[],
  states: readonly string[],
): Promise<readonly Fields[]> {
  const all = types.flatMap((type) =>
    states.map((state) => listDrafts(context, { state, limit: mostWaiting }, type)),
  )
  const isOwn = ({ state, may }: Fields) =>
    listed(may).includes(state === 'returned' ? 'write' : 'publish')
  return (await Promise.all(all)).flatMap(({ drafts }) => drafts.filter(isOwn))
}

/** Entry of a list of what waits: its mark, the link to it, one line about it, and its day. */
type Todo = readonly [mark: HtmlContent, name: HtmlContent, about: HtmlContent, when: HtmlContent]

const todoEntries = (entries: readonly Todo[]): HtmlContent =>
  entries.length > 0 &&
  html`<ul class="todo" role="list">${entries.map(
    ([mark, name, about, when]) =>
      html`<li>${mark}<div><strong>${name}</strong><p><bdi>${about}</bdi></p></div><span class="when">${when}</span></li>`,
  )}</ul>`

const mark = (kind: 'good' | 'warn' | 'bad', name: string): HtmlContent =>
  html`<span class="${kind}">${icon(name)}</span>`

/** State of a draft → its mark. */
const marks: Readonly<Record<string, HtmlContent>> = {
  returned: mark('warn', 'rotate-ccw'),
  scheduled: mark('good', 'clock'),
}

/** List of drafts that wait, with what was said about them, and with ticks where `tick` makes them; nothing without any. */
export function todoList(
  context: StewardContext,
  drafts: readonly Fields[],
  catalogues: ReadonlyMap<string, string>,
  tick?: ReturnType<typeof bulkTick>,
): HtmlContent {
  if (drafts.length === 0) return false
  const { t, formats, textOf } = context
  return todoEntries(
    drafts.map((draft): Todo => {
      const [state, catalogue] = [textAt(draft, 'state') ?? '', textAt(draft, 'catalogue') ?? '']
      const [count, isChange] = [numberAt(draft, 'score'), draft['baseTag'] !== undefined]
      const flag = html`<span class="flag ${isChange ? 'public' : 'draft'}">${t(isChange ? 'waiting-change' : 'waiting-new')}</span>`
      return [
        tick?.(draft, textOf(draft['title'])?.text ?? t('untitled')) ??
          marks[state] ??
          icon('circle-dashed'),
        html`${linkIf(draftLink(context, draft), draftTitle(context, draft))} ${state === 'review' && flag}`,
        joinHtml(
          [
            catalogues.get(catalogue) ?? catalogue,
            count > 0 && t('n-points', { count }),
            wordsAbout(context, draft, state),
          ],
          ' · ',
        ),
        formats.day(draft['changedAt']),
      ]
    }),
  )
}

/** Words about a draft that waits: who asks for what, with the note, or when it will be published. */
function wordsAbout({ t, formats }: StewardContext, draft: Fields, state: string): HtmlContent {
  const name = textAt(draft, state === 'review' ? 'author' : 'notedBy') ?? ''
  const note = textAt(draft, 'note') ?? ''
  if (state === 'scheduled')
    return html`${t('desk-waits-scheduled')} ${formats.moment(draft['publishAt'])}`
  // A scheduled draft that cannot be published is sent back by the platform, without a name and with a note for programs.
  if (state === 'returned' && name === '') return t('publish-failed')
  return t(`desk-waits-${state}${note === '' ? '' : '-note'}`, { name, note })
}

/**
 * Page of all that waits for the person; after an action on several reviews, with its result. `undefined` for who may publish
 * nowhere. Rejects with `Failure`.
 */
export async function deskWaitingPage(context: StewardContext, result?: BulkResult): MaybePage {
  const { t, pathTo, steward, askOptional } = context
  if (!steward.hasDesk) return undefined
  const declared = listAt(await askOptional('search', '/profile'), 'resources')
  const types = ['datasets', 'catalogues', ...declared.flatMap((one) => textAt(one, 'id') ?? [])]
  const [catalogues, drafts, runs, keys] = await Promise.all([
    ownCatalogues(context),
    waitingDrafts(context, types.slice(0, mostTypes), ['returned', 'review']),
    runsOfSteward(context),
    endingKeys(context),
  ])
  const changedAt = (draft: Fields) => textAt(draft, 'changedAt') ?? ''
  const oldestFirst = drafts.toSorted((a, b) => changedAt(a).localeCompare(changedAt(b)))
  const [reviews, returned] = ['review', 'returned'].map((name) =>
    oldestFirst.filter(({ state }) => state === name),
  )
  const tick = bulkTick(context, result?.picked)
  const toReview = todoList(context, reviews ?? [], catalogues, tick)
  const sentBack = todoList(context, returned ?? [], catalogues)
  const offered = { result, offered: ['publish', 'return'] }
  const form = bulkForm(context, pathTo('desk', 'waiting'), reviews ?? [], offered)
  const others = [
    ['form-state-returned', sentBack],
    ['steward-waiting', todoEntries(waitingRuns(runs).map((run) => heldEntry(context, run)))],
    ['waiting-failing', todoEntries(failingEntries(context, runs))],
    ['waiting-keys', todoEntries(keys)],
  ] as const
  const oldest = html`<p class="soft">${t('waiting-oldest')}</p>`
  const sections = [
    toReview && headedSection('reviews', t('waiting-reviews'), oldest, [toReview, form]),
    ...others.map(([key, list]) => list && pageSection(key, t(key), list)),
  ]
  const isEmpty = sections.every((section) => !section)
  const body = [
    result ? bulkOutcome(context, result) : outcome(context),
    isEmpty ? html`<p class="close">${t('waiting-nothing')}</p>` : sections,
  ]
  return stewardPage(context, {
    tab: 'reviews',
    title: t('waiting-title'),
    head: deskHead(context),
    body,
  })
}

/** Newest runs for stewards; none for others, and where the scheduler does not answer in time. */
async function runsOfSteward(context: StewardContext): Promise<readonly HarvestRun[]> {
  const isSteward = cataloguesOf(context.steward.permissions, 'steward').length > 0
  return (isSteward && (await context.optional(visibleRuns(context)))) || []
}

const heldEntry = ({ t }: StewardContext, run: HarvestRun): Todo => [
  mark('warn', 'triangle-alert'),
  html`<a href="${run.path}/held">${run.title}</a>`,
  joinHtml([t('held-title', { count: run.count('held') }), t('held-why')], ' · '),
  run.startDate,
]

/** Sources whose newest run failed, with the number of failures in a row where a run before them is known. */
function failingEntries({ t }: StewardContext, runs: readonly HarvestRun[]): readonly Todo[] {
  const real = runs.filter(({ isDryRun, isActive }) => !isDryRun && !isActive)
  const sources = [...Map.groupBy(real, ({ pipe }) => pipe).values()]
  return sources.flatMap((own): readonly Todo[] => {
    const [run, count] = [own[0], own.findIndex(({ stateKind }) => stateKind !== 'bad')]
    if (!run || count === 0) return []
    const often = count > 1 && t('waiting-often', { count })
    const about = joinHtml([joinHtml([run.cause ?? run.label, run.detail], ': '), often], ' · ')
    return [
      [mark('bad', 'circle-x'), html`<a href="${run.path}">${run.title}</a>`, about, run.startDate],
    ]
  })
}

/** Keys of people and programs that end soon, for administrators. */
async function endingKeys(context: StewardContext): Promise<readonly Todo[]> {
  const { formats, pathTo, steward, optional, ask } = context
  if (!hasRole(steward.permissions, 'administrator', undefined)) return []
  const accounts = await optional(ask('deskRepository', `/accounts?limit=${mostAccounts}`))
  return listed(accounts)
    .map(memberFields)
    .filter((account) => account['state'] === 'active' && isEndingSoon(account))
    .map((account): Todo => {
      const href = `${pathTo('desk', 'people')}?edit=${encodeURIComponent(textAt(account, 'id') ?? '')}#new`
      const name = html`<a href="${href}">${textAt(account, 'name')}</a>`
      return [mark('warn', 'clock'), name, textAt(account, 'mail'), formats.day(account['ends'])]
    })
}
