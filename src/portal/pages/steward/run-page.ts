/** One run: counts, what its outcome means, its problems in groups, what it changed; live, dry, or waiting for consent. */

import type { Fields } from '../../../text/json.ts'
import type { PageContext } from '../../context.ts'
import { html, type HtmlContent, icon, joined, linkTo, safeAddress } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import {
  actionForm,
  askScheduler,
  causeOf,
  countNames,
  countsOf,
  isHeld,
  isReal,
  mayRead,
  numberOr,
  ownForm,
  problemSlug,
  recordLink,
  runButtons,
  runState,
  stateOf,
  stewardPage,
} from './steward-parts.ts'
import { notice, pageSection } from '../../parts/blocks.ts'
import { dataTable } from '../../parts/table.ts'
import { fieldsAt, listAt, listed, memberFields, textAt, textOr } from '../../record.ts'

const [mostItems, mostChanged] = [200, 50]

/** The run with its report; `undefined` where the session may not see it. */
async function reportOf(context: PageContext, id: string) {
  const path = `/runs/${encodeURIComponent(id)}`
  const report = memberFields(await askScheduler(context, `${path}/report`))
  const run = fieldsAt(report, 'run')
  const items = async (state: string, limit: number) =>
    listed(await askScheduler(context, `${path}/items?state=${state}&limit=${limit}`)).map(
      memberFields,
    )
  return mayRead(context, path, run['catalogue']) ? { run, report, items } : undefined
}

/** Throws `ServiceRefusal` and `Failure`. */
export async function runPage(context: PageContext, id: string): Promise<PageContent | undefined> {
  const found = await reportOf(context, id)
  if (!found) return undefined
  const { run, report, items } = found
  const [failed, updated, created] = await Promise.all([
    items('failed', mostItems),
    items('updated', mostChanged),
    items('created', mostChanged),
  ])
  const pipe = textAt(run, 'pipe') ?? ''
  const isDry = !isReal(run)
  const isActive = ['running', 'queued'].includes(textAt(run, 'status') ?? '')
  const title = isDry ? context.t('dry-title') : context.t('run-of', { pipe })
  return stewardPage(context, {
    title,
    tab: 'runs',
    pipe,
    actions: buttons(context, id, run),
    head: isActive && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`,
    body: html`<div${isActive && html` data-live="${context.root}api/scheduler/runs/${id}/events"`}>
      <p class="soft">${facts(context, run)} ${runState(context, run)}</p>
      ${isActive && progress(context, run)} ${isDry ? dryCounts(context, run) : counts(context, run)}
      ${meaning(context, run)} ${heldNotice(context, id, run)} ${problemGroups(context, failed)}
      ${leftOut(context, report)} ${changedRecords(context, [...updated, ...created], isDry)}
      ${isActive ? steps(context, run) : comparison(context, report)}</div>`,
  })
}

function buttons(context: PageContext, id: string, run: Fields): HtmlContent {
  const { t, pathTo } = context
  const self = pathTo('harvest', 'runs', id)
  const status = textAt(run, 'status') ?? ''
  if (['running', 'queued'].includes(status))
    return actionForm(context, self, 'cancel', t('cancel-run'))
  if (!isReal(run)) return runButtons(context, textAt(run, 'pipe') ?? '', t('run-for-real'))
  const count = numberOr(countsOf(run)['failed'])
  const retry = html`${icon('rotate-ccw')} ${t('retry-n', { count })}`
  return [
    count > 0 && actionForm(context, self, 'retry', retry),
    status === 'interrupted' && actionForm(context, self, 'resume', t('resume')),
    html`<a class="button quiet small" href="${self}/items.csv">${icon('download')} CSV</a>`,
  ]
}

/** When it ran, who began it, how long it took. */
function facts({ t, formats, language }: PageContext, run: Fields): HtmlContent {
  const [from, to] = ['startTime', 'endTime'].map((key) => Date.parse(textOr(run[key]) ?? ''))
  const seconds = ((to ?? Number.NaN) - (from ?? Number.NaN)) / 1000
  const unit = {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  } as const
  const parts = [
    formats.moment(run['startTime'] ?? run['created']),
    t(`by-${textAt(run, 'startedBy') ?? 'api'}`),
    seconds >= 0 && t('took', { time: new Intl.NumberFormat(language, unit).format(seconds) }),
    !isReal(run) && t('nothing-written'),
  ]
  return joined(parts, ' · ')
}

const doneNames = ['created', 'updated', 'unchanged', 'skipped', 'failed', 'refused', 'duplicate']

function progress({ t, formats }: PageContext, run: Fields): HtmlContent {
  const total = numberOr(fieldsAt(run, 'progress')['total'])
  const done = doneNames.reduce((sum, key) => sum + numberOr(countsOf(run)[key]), 0)
  const text =
    total > 0
      ? t('n-of-records', { done: formats.number(done), total: formats.number(total) })
      : t('n-records', { count: done })
  const bar = total > 0 && html` value="${done}" max="${total}"`
  return html`<div class="close stack">
    <p role="status"><strong>${text}</strong></p>
    <label class="vh" for="p">${t('progress')}</label><progress id="p"${bar}></progress></div>`
}

function counts({ t, formats }: PageContext, run: Fields): HtmlContent {
  const tones: Readonly<Record<string, string>> = { failed: 'bad', held: 'warn' }
  const items = countNames.map((key) => {
    const count = numberOr(countsOf(run)[key])
    return html`<div class="${count > 0 && tones[key]}"><dt>${t(`count-${key}`)}</dt><dd>${formats.number(count)}</dd></div>`
  })
  return html`<dl class="counts close">${items}</dl>`
}

function dryCounts({ t }: PageContext, run: Fields): HtmlContent {
  const all = countsOf(run)
  const [offered, updated, created] = ['offered', 'updated', 'created'].map((key) =>
    numberOr(all[key]),
  )
  return html`<p class="close">${t('dry-counts', { offered: offered ?? 0, updated: updated ?? 0, created: created ?? 0 })}</p>`
}

/** What the outcome means for the records of the source. */
function meaning(context: PageContext, run: Fields): HtmlContent {
  const { t } = context
  const cause = causeOf(context, run['problem'])
  const outcome = textAt(run, 'outcome')
  if (isHeld(run) || (cause === undefined && outcome !== 'incomplete')) return false
  const sign = stateOf(context, run).sign === 'bad' ? 'bad' : 'warn'
  const heading =
    outcome === 'dry-run'
      ? 'dry-means'
      : outcome === 'incomplete'
        ? 'incomplete-means'
        : 'failed-means'
  return notice(sign, t(heading), cause !== undefined && html`<p><bdi>${cause}</bdi></p>`)
}

function heldNotice(context: PageContext, id: string, run: Fields): HtmlContent {
  const { t, pathTo } = context
  if (!isHeld(run)) return false
  const link = html`<p><a href="${pathTo('harvest', 'runs', id, 'held')}">${t('held-look')}</a></p>`
  return notice('warn', t('held-title', { count: numberOr(countsOf(run)['held']) }), link)
}

/** Records that a run would remove, and the choice. Throws `ServiceRefusal` and `Failure`. */
export async function heldPage(context: PageContext, id: string): Promise<PageContent | undefined> {
  const { t, pathTo } = context
  const found = await reportOf(context, id)
  if (!found || !isHeld(found.run)) return undefined
  const { run, items } = found
  const held = await items('held', mostItems)
  const count = numberOr(countsOf(run)['held'])
  const pipe = textAt(run, 'pipe') ?? ''
  const again = actionForm(context, pathTo('harvest', 'pipes', pipe), 'dry', t('read-again'))
  const rows = held.map((item) => [
    recordLink(context, item),
    html`<code>${textAt(item, 'originalId')}</code>`,
  ])
  const why = html`<p><bdi>${textAt(run['problem'], 'detail')}</bdi></p><p>${t('held-text')}</p>${again}`
  const columns = [{ label: t('record') }, { label: t('source-id') }]
  const sure = html`<label class="check"><input type="checkbox" name="sure" value="yes" required><span>${t('held-sure', { count })}</span></label>`
  return stewardPage(context, {
    title: t('held-title', { count }),
    tab: 'waiting',
    pipe,
    body: html`<p class="soft">${facts(context, run)} ${runState(context, run)}</p>
      ${counts(context, run)} ${notice('warn', t('held-why'), why)}
      ${ownForm(
        context,
        pathTo('harvest', 'runs', id),
        html`<h2>${t('held-records')}</h2>
        ${dataTable({ label: t('held-records'), columns, rows })}
        ${held.length < count && html`<p class="small soft close">${t('n-of-records', { done: held.length, total: count })}</p>`}
        <div class="stack close prose"><p>${sure}</p>
        <p class="row"><button class="button danger" name="do" value="confirm">${icon('trash-2')} ${t('remove-n', { count })}</button>
        <button class="button" name="do" value="keep" formnovalidate>${t('keep-them')}</button></p>
        <p class="hint">${t('held-hint')}</p></div>`,
      )}`,
  })
}

/** Line or JSON pointer of a problem in its source, where it is known. */
function placeOf({ t }: PageContext, problem: unknown): HtmlContent {
  const places = listAt(problem, 'errors')
  const place = places.find(({ line, pointer }) => line !== undefined || pointer !== undefined)
  if (place?.['line'] !== undefined) return t('line-n', { line: numberOr(place['line']) })
  return textAt(place, 'pointer') !== undefined && html`<code>${textAt(place, 'pointer')}</code>`
}

/** Failed records by the kind of their problem, each group with its cause and what helps. */
function problemGroups(context: PageContext, items: readonly Fields[]): HtmlContent {
  const { t } = context
  if (items.length === 0) return false
  const groups = Map.groupBy(items, ({ problem }) => problemSlug(problem))
  const columns = [{ label: t('record') }, { label: t('step') }, { label: t('what-is-wrong') }]
  const details = [...groups].map(([slug, own]) => {
    const rows = own.map((item) => {
      const { detail, errors } = fieldsAt(item, 'problem')
      const exact = textAt(listed(errors)[0], 'detail')
      const source = safeAddress(item['sourceUrl'])
      return [
        html`${recordLink(context, item)}${source !== undefined && html` <span class="small">${linkTo(source, t('at-source'))}</span>`}`,
        textAt(item, 'stage'),
        html`<bdi>${exact ?? textOr(detail)}</bdi> ${placeOf(context, item['problem'])}`,
      ]
    })
    const cure = t(`cure-${slug}`) === `cure-${slug}` ? undefined : t(`cure-${slug}`)
    const title = causeOf(context, own[0]?.['problem']) ?? t('problem')
    return html`<details class="group" open>
      <summary>${title} <span class="n">${t('n-records', { count: own.length })}</span>${icon('chevron-down')}</summary>
      ${cure !== undefined && html`<p class="prose">${cure}</p>`}
      ${dataTable({ label: title, columns, rows })}</details>`
  })
  return pageSection('problems', t('problems'), details)
}

/** Values that were not understood and so not taken over, by kind, with the first records of each. */
function leftOut(context: PageContext, report: Fields): HtmlContent {
  const { t } = context
  const rows = Object.entries(fieldsAt(report, 'findings')).flatMap(([slug, group]) => {
    const { count, examples } = memberFields(group)
    return listed(examples)
      .map(memberFields)
      .map((example) => [
        recordLink(context, { originalId: example['id'], ...example }),
        html`<bdi>${textAt(example, 'detail')}</bdi> ${placeOf(context, { errors: [example] })}`,
        html`<code>${slug}</code> <span class="soft">${t('n-records', { count: numberOr(count) })}</span>`,
      ])
  })
  if (rows.length === 0) return false
  const columns = [{ label: t('record') }, { label: t('what-is-wrong') }, { label: t('kind') }]
  return pageSection('left-out', t('left-out'), dataTable({ label: t('left-out'), columns, rows }))
}

/** Statements that are gone and new in each record, where the run has noted them. */
function changedRecords(
  context: PageContext,
  items: readonly Fields[],
  isDry: boolean,
): HtmlContent {
  const { t } = context
  if (items.length === 0) return false
  const parts = items.map((item) => {
    const { gone, come } = fieldsAt(item, 'difference')
    const lines = [
      ...listed(gone).map((one) => diffLine('gone', '−', t('removed'), textOr(one))),
      ...listed(come).map((one) => diffLine('come', '+', t('added'), textOr(one))),
    ]
    const source = safeAddress(item['sourceUrl'] ?? item['sourceId'])
    return html`<li><h3>${recordLink(context, item)}
      <span class="tag">${t(`count-${textAt(item, 'state')}`)}</span></h3>
      ${source !== undefined && html`<p>${linkTo(source, html`<code>${source}</code>`)}</p>`}
      ${lines.length > 0 && html`<div class="diff close" tabindex="0" role="group" aria-label="${t('changes')}">${lines}</div>`}</li>`
  })
  const heading = t(isDry ? 'would-change' : 'changed-records')
  return pageSection('recs', heading, html`<ul class="entries" role="list">${parts}</ul>`)
}

const diffLine = (kind: 'gone' | 'come', sign: string, word: string, text: string | undefined) =>
  html`<div class="${kind}"><span class="sign" role="img" aria-label="${word}">${sign}</span>${kind === 'gone' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`}</div>`

function steps({ t }: PageContext, run: Fields): HtmlContent {
  const segments = listAt(run, 'segments')
  const rows = segments.map(({ name, processed }) => [
    textOr(name),
    t(processed === true ? 'step-done' : 'step-waits'),
  ])
  const columns = [{ label: t('step') }, { label: t('last-result') }]
  const table = dataTable({ label: t('steps'), columns, rows })
  return html`${pageSection('steps', t('steps'), table)}<p class="close soft small">${t('live-hint')}</p>`
}

/** Problems that came and went since the run before, and what was asked of the source. */
function comparison({ t, formats }: PageContext, report: Fields): HtmlContent {
  const difference = fieldsAt(report, 'difference')
  const records = (key: string): HtmlContent => {
    const { count, ids } = memberFields(difference[key])
    const names = joined(
      listed(ids)
        .slice(0, 5)
        .map((id) => html`<code>${textOr(id)}</code>`),
      ', ',
    )
    return html`${t('n-records', { count: numberOr(count) })} ${names}`
  }
  const hosts = Object.entries(fieldsAt(report, 'requests')).map(([host, statuses]) => {
    const answers = Object.entries(memberFields(statuses))
    return html`<bdi>${host}</bdi>: ${answers.map(([status, times]) => `${status} × ${formats.number(numberOr(times))}`).join(', ')}`
  })
  const pairs: readonly (readonly [string, HtmlContent])[] = [
    ...(report['difference'] === undefined
      ? []
      : [
          [t('new-problems'), records('newlyFailing')] as const,
          [t('solved-problems'), records('newlyFixed')] as const,
        ]),
    ...(hosts.length === 0 ? [] : [[t('requests'), joined(hosts, '; ')] as const]),
  ]
  if (pairs.length === 0) return false
  const rows = pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return pageSection('before', t('compared'), html`<dl class="pairs">${rows}</dl>`)
}
