/**
 * Page of a run: counts, meaning of the outcome, problems in groups, findings, changed records, and its segments or the
 * comparison with the previous run; and the page of its held removals.
 */

import { Failure } from '../../../errors.ts'
import { shortNames } from '../../../rdf/namespaces.ts'
import { type Fields, listed, memberFields, textAt, textOr } from '../../../text/json.ts'
import type { StewardContext } from '../../context.ts'
import { linkIf } from '../../desk/desk-lists.ts'
import { pathToField } from '../../desk/field-links.ts'
import { html, type HtmlContent, icon, joinHtml, linkTo, safeAddress } from '../../html.ts'
import type { PageContent } from '../../layout.ts'
import {
  causeOf,
  countNames,
  decisionText,
  harvestRun,
  type HarvestRun,
  problemText,
} from './runs.ts'
import { actionForm, sessionForm, runButtons, stewardPage } from './steward-parts.ts'
import { notice, pageSection, pairList, stateBadge } from '../../parts/blocks.ts'
import { textTable } from '../../parts/table.ts'
import { fieldsAt, listAt, numberAt } from '../../record.ts'

/** Most records of each state on a page. */
const mostItems = 100

/**
 * Reads a run with its report and the document of its pipe; `items` reads records by state. Rejects with `not-found` where the
 * session may not read the run.
 */
async function readReport(context: StewardContext, id: string) {
  const { ask, askOptional, steward } = context
  const path = `/runs/${encodeURIComponent(id)}`
  const report = memberFields(await ask('scheduler', `${path}/report`))
  const fields = fieldsAt(report, 'run')
  if (!steward.mayRead(path, fields)) throw new Failure('not-found', 'there is no such run')
  const name = encodeURIComponent(textAt(fields, 'pipe') ?? '')
  const pipe = await askOptional('scheduler', `/pipes/${name}`)
  const run = harvestRun(context, fields, textAt(pipe, 'header.title'))
  const items = async (state: string) => {
    const answer = await ask('scheduler', `${path}/items?state=${state}&limit=${mostItems}`)
    return listed(answer).map(memberFields)
  }
  return { run, report, pipe, items }
}

/** Page of a run. Rejects with `Failure`. */
export async function runPage(context: StewardContext, id: string): Promise<PageContent> {
  const { t, root } = context
  const { run, report, items } = await readReport(context, id)
  const itemReads = ['failed', 'updated', 'created'].map(items)
  const [failed = [], updated = [], created = []] = await Promise.all(itemReads)
  const { isActive, isDryRun, title } = run
  const liveAttribute = isActive && html` data-live="${root}api/scheduler/runs/${id}/events"`
  const changed = changedRecords(context, [...updated, ...created])
  return stewardPage(context, {
    title: isDryRun ? t('dry-title') : t('run-of', { pipe: title }),
    tab: 'runs',
    pipe: run,
    actions: buttons(context, run),
    head: isActive && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`,
    body: html`<div${liveAttribute}>${facts(context, run)} ${isActive && progress(context, run)}
      ${counts(context, run)} ${outcomeNotice(context, run)}
      ${problemGroups(context, failed, report)} ${leftOutSection(context, report)}
      ${changed && pageSection('recs', t(isDryRun ? 'would-change' : 'changed-records'), changed)}
      ${isActive ? segmentStates(context, run) : comparison(context, report)}</div>`,
  })
}

/** Buttons for the actions that the state of the run and the session permit, and a link to the items of the run as CSV. */
function buttons(context: StewardContext, run: HarvestRun): HtmlContent {
  const { t } = context
  const button = (name: 'retry' | 'resume', label: HtmlContent) =>
    mayChange(context, run, name) && actionForm(context, run.path, name, label)
  if (run.isActive)
    return (
      context.steward.may({ method: 'DELETE', path: `/runs/${run.id}` }) &&
      actionForm(context, run.path, 'cancel', t('cancel-run'))
    )
  if (run.isDryRun) return runButtons(context, run.pipe, true)
  const count = run.count('failed')
  return [
    count > 0 && button('retry', html`${icon('rotate-ccw')} ${t('retry-n', { count })}`),
    run.fields['status'] === 'interrupted' && button('resume', t('resume')),
    html`<a class="button quiet small" href="${run.path}/items.csv">${icon('download')} CSV</a>`,
  ]
}

/** Whether the session permits an action on a run that has ended. */
const mayChange = (
  { steward }: StewardContext,
  { id }: HarvestRun,
  action: 'retry' | 'resume' | 'confirm' | 'keep',
): boolean => steward.may({ method: 'POST', path: `/runs/${id}/${action}` })

/** Line with start time, initiator, duration (once the run has ended) and state of a run. */
function facts(
  { t, language }: StewardContext,
  { fields, startDate, isDryRun, badge }: HarvestRun,
) {
  const [from, to] = ['startTime', 'endTime'].map((key) => Date.parse(textAt(fields, key) ?? ''))
  const seconds = (Number(to) - Number(from)) / 1000
  const unit = { style: 'unit', unit: 'second', unitDisplay: 'long' } as const
  const format = new Intl.NumberFormat(language, { ...unit, maximumFractionDigits: 1 })
  const parts = [
    startDate,
    t(`by-${textAt(fields, 'startedBy')}`),
    seconds >= 0 && t('took', { time: format.format(Math.max(seconds, 0.1)) }),
    isDryRun && t('nothing-written'),
  ]
  return html`<p class="soft">${joinHtml(parts, ' · ')} ${badge}</p>`
}

/** Counts that together are the records that are done. */
const doneNames = ['created', 'updated', 'unchanged', 'skipped', 'failed', 'refused', 'duplicate']

function progress({ t }: StewardContext, { fields, count }: HarvestRun): HtmlContent {
  const total = numberAt(fields, 'progress.total')
  const done = doneNames.reduce((sum, name) => sum + count(name), 0)
  const text = total > 0 ? t('n-of-records', { done, total }) : t('n-yet', { count: done })
  const bar = total > 0 && html` value="${done}" max="${total}"`
  return html`<div class="close stack">
    <p role="status"><strong>${text}</strong></p>
    <label class="vh" for="p">${t('progress')}</label><progress id="p"${bar}></progress></div>`
}

const countStyles: Readonly<Record<string, string>> = { failed: 'bad', held: 'warn' }

function counts({ t, formats }: StewardContext, { count, isDryRun }: HarvestRun): HtmlContent {
  const counts = countNames.map((name) => [name, count(name)] as const)
  if (isDryRun) return html`<p class="close">${t('dry-counts', Object.fromEntries(counts))}</p>`
  const rows = counts.map(([name, n]) => {
    const value = html`<span class="${n > 0 && countStyles[name]}">${formats.number(n)}</span>`
    return [t(`count-${name}`), value] as const
  })
  return pairList(rows, 'counts close')
}

/** Notice about the decision on removals, else about held removals, else about an incomplete run or one with a problem. */
function outcomeNotice(
  context: StewardContext,
  { fields, cause, decision, ...run }: HarvestRun,
): HtmlContent {
  const { t } = context
  if (decision) return notice('good', decisionText(context, decision))
  if (run.hasHeldRemovals) {
    const link = html`<p><a href="${run.path}/held">${t('held-look')}</a></p>`
    return notice('warn', t('held-title', { count: run.count('held') }), link)
  }
  const { outcome } = fields
  if (cause === undefined && outcome !== 'incomplete') return false
  const key = run.isDryRun ? 'dry' : outcome === 'incomplete' ? 'incomplete' : 'failed'
  const text = cause !== undefined && html`<p><bdi>${joinHtml([cause, run.detail], ': ')}</bdi></p>`
  return notice(run.stateKind === 'bad' ? 'bad' : 'warn', t(`${key}-means`), text)
}

/**
 * Page of the held removals of a run, with the form for the decision, or with the decision that was made. Rejects with `Failure`.
 */
export async function heldPage(context: StewardContext, id: string): Promise<PageContent> {
  const { t, pathTo, steward } = context
  const { run, pipe, items } = await readReport(context, id)
  if (run.count('held') === 0) throw new Failure('not-found', 'this run held back no removals')
  if (!run.hasHeldRemovals) return decidedPage(context, run)
  const heldItems = await withTitles(context, await items('held'))
  const count = run.count('held')
  const source = safeAddress(textAt(pipe, 'body.segments.0.body.config.address'))
  const sourceLink =
    source !== undefined && html`<a class="button small" href="${source}">${t('open-source')}</a>`
  const dryRunForm =
    steward.may({ method: 'POST', path: `/pipes/${run.pipe}/runs` }) &&
    actionForm(context, pathTo('harvest', 'pipes', run.pipe), 'dry', t('read-again'))
  const explanation = html`<p>${t('held-text')}</p><div class="row">${sourceLink} ${dryRunForm}</div>`
  const rows = heldItems.map((item) => [
    recordLink(context, item),
    html`<code>${textAt(item, 'originalId')}</code>`,
  ])
  const table = textTable(context, 'held-records', ['record', 'source-id'], rows)
  return stewardPage(context, {
    title: t('held-title', { count }),
    tab: 'waiting',
    pipe: run,
    body: html`${facts(context, run)} ${counts(context, run)} ${notice('warn', t('held-why'), explanation)}
      <div class="section"><h2>${t('held-records')}</h2> ${table} ${remainder(context, heldItems, count)}
      ${decisionForm(context, run, count)}</div>`,
  })
}

/** Form for the decision on held removals, with the buttons that the session permits; nothing where it permits none. */
function decisionForm(context: StewardContext, run: HarvestRun, count: number): HtmlContent {
  const { t } = context
  const mayConfirm = mayChange(context, run, 'confirm')
  const mayKeep = mayChange(context, run, 'keep')
  const sure = html`<p><label class="check"><input type="checkbox" name="sure" value="yes" required>
      <span>${t('held-sure', { count })}</span></label></p>`
  const confirm = html`<button class="button danger" name="do" value="confirm">${icon('trash-2')} ${t('remove-n', { count })}</button>`
  const keep = html`<button class="button" name="do" value="keep" formnovalidate>${t('keep-them')}</button>`
  const body = html`${mayConfirm && sure}<p class="row">${mayConfirm && confirm} ${mayKeep && keep}</p>
    <p class="hint">${t('held-hint')}</p>`
  return (mayConfirm || mayKeep) && sessionForm(context, run.path, body, 'stack close prose')
}

/** Note that a list has only some of its records; nothing where it has all. */
const remainder = ({ t }: StewardContext, { length: done }: readonly Fields[], total: number) =>
  done < total && html`<p class="small soft close">${t('n-of-records', { done, total })}</p>`

/** Page about the decision on the held removals of a run, once it is made. */
const decidedPage = (context: StewardContext, run: HarvestRun): Promise<PageContent> =>
  stewardPage(context, {
    title: context.t('run-of', { pipe: run.title }),
    tab: 'waiting',
    pipe: run,
    body: html`${facts(context, run)} ${counts(context, run)} ${outcomeNotice(context, run)}
      <p><a href="${run.path}">${context.t('decision-run')}</a></p>`,
  })

/** Adds the titles that the search has for held records, which the run did not read; none where it does not answer in time. */
async function withTitles(
  { optional, readRecord, plainTitle }: StewardContext,
  items: readonly Fields[],
) {
  const titledItems = items.map(async (item) => {
    const record = await readRecord('datasets', textAt(item, 'platformId') ?? '').catch(() => ({}))
    return 'title' in record ? { ...item, title: plainTitle(record) } : item
  })
  return (await optional(Promise.all(titledItems))) ?? items
}

/** Title of a record of a run, else its id in the source; a link where the run knows its id on the platform. */
function recordLink({ t, pathTo }: StewardContext, item: Fields): HtmlContent {
  const names = ['title', 'originalId', 'sourceId'].flatMap((key) => textAt(item, key) ?? [])
  const [title = t('untitled')] = names
  const id = textAt(item, 'platformId')
  if (id === undefined) return html`<bdi>${title}</bdi>`
  return html`<a href="${pathTo('datasets', id)}">${title}</a>`
}

/** Detail of an error, with its line or JSON Pointer in the source where it has one. */
function errorText({ t }: StewardContext, detail: unknown, errors: readonly Fields[]): HtmlContent {
  const place = errors.find(({ line, pointer }) => line !== undefined || pointer !== undefined)
  const line = numberAt(place, 'line')
  const pointer = textAt(place, 'pointer')
  const where = pointer !== undefined && html`<code>${pointer}</code>`
  // Some details end with the line as well.
  const text = textOr(detail)?.replace(`, line ${line}.`, '.')
  return html`<bdi>${text}</bdi> ${line > 0 ? t('line-n', { line }) : where}`
}

/** Section with the failed records that were read, in groups by type of problem; each has its cause and, if known, its remedy. */
function problemGroups(
  context: StewardContext,
  items: readonly Fields[],
  report: Fields,
): HtmlContent {
  const { t } = context
  const groups = Map.groupBy(items, (item) => textAt(item, 'problem.type') ?? '')
  const details = [...groups].map(([type, group]) => {
    // The report counts all records of a run, of which only some were read.
    const count = numberAt(report, `problems.${type.split(':').at(-1)}.count`) || group.length
    const rows = group.map((item) => {
      const errors = listAt(item, 'problem.errors')
      const detail = errors[0]?.['detail'] ?? textAt(item, 'problem.detail')
      const source = safeAddress(item['sourceUrl'])
      const link = source && html` <span class="small">${linkTo(source, t('at-source'))}</span>`
      const record = html`${recordLink(context, item)}${link}`
      return [record, textAt(item, 'stage'), errorText(context, detail, errors)]
    })
    const problem = group[0]?.['problem']
    const label = problemText(context, 'cause', problem) ?? 'problem'
    const cure = problemText(context, 'cure', problem)
    return html`<details class="group" open>
      <summary>${causeOf(context, problem) ?? t('problem')} <span class="n">${t('n-records', { count })}</span>${icon('chevron-down')}</summary>
      ${cure && html`<p class="prose">${cure}</p>`}
      ${textTable(context, label, ['record', 'step', 'what-is-wrong'], rows)}${remainder(context, group, count)}</details>`
  })
  return details.length > 0 && pageSection('problems', t('problems'), details)
}

/** Section with findings of the run, such as values that were left out, with examples of each kind. */
function leftOutSection(context: StewardContext, report: Fields): HtmlContent {
  const { t } = context
  const catalogue = textAt(report, 'run.catalogue') ?? ''
  const rows = Object.entries(fieldsAt(report, 'findings')).flatMap(([slug, group]) => {
    const count = t('n-records', { count: numberAt(group, 'count') })
    return listAt(group, 'examples').map((example) => [
      recordLink(context, { originalId: example['id'], ...example }),
      linkIf(
        fieldPath(context, catalogue, example),
        errorText(context, leftOutText(context, example), [example]),
      ),
      html`${slug === 'left-out' ? t('values-left-out') : html`<code>${slug}</code>`} <span class="soft">${count}</span>`,
    ])
  })
  const table = textTable(context, 'left-out', ['record', 'what-is-wrong', 'kind'], rows)
  return rows.length > 0 && pageSection('left-out', t('left-out'), table)
}

/** Path of the field with a left-out value, for who may change the record; `undefined` for other findings. */
function fieldPath(context: StewardContext, catalogue: string, example: Fields) {
  const [id = '', path = '', fix = ''] = ['platformId', 'property', 'reason'].map((name) =>
    textAt(example, name),
  )
  const wrong = { fix, path, value: textAt(example, 'value') }
  return fix === '' ? undefined : pathToField(context, { id, catalogue }, wrong)
}

/** Text of a left-out value: `issued: “some time in spring” – Not a date or time`; of other findings the detail. */
function leftOutText({ t }: StewardContext, example: Fields): unknown {
  const { property, value, reason, detail } = example
  if (reason === undefined) return detail
  return `${textOr(property)}: “${textOr(value)}” – ${t(`reason-${textOr(reason)}`)}`
}

/** List of changed records with their removed and added statements where the run recorded these for any of them, else a table. */
function changedRecords(context: StewardContext, items: readonly Fields[]): HtmlContent {
  if (items.length === 0) return false
  const { t } = context
  const rows = items.map((item) => {
    const source = safeAddress(item['sourceUrl'] ?? item['sourceId'])
    const link = source !== undefined && linkTo(source, html`<code>${source}</code>`)
    return [recordLink(context, item), t(`count-${textAt(item, 'state')}`), link] as const
  })
  if (!items.some(({ difference }) => difference))
    return textTable(context, 'changed-records', ['record', 'result', 'source'], rows)
  const minus = html`<span class="sign" role="img" aria-label="${t('removed')}">−</span>`
  const plus = html`<span class="sign" role="img" aria-label="${t('added')}">+</span>`
  const parts = rows.map(([record, state, source], at) => {
    const { gone, come } = fieldsAt(items[at], 'difference')
    const lines = [
      ...statements(gone).map((line) => html`<div class="gone">${minus}<del>${line}</del></div>`),
      ...statements(come).map((line) => html`<div class="come">${plus}<ins>${line}</ins></div>`),
    ]
    return html`<li><h3>${record} <span class="tag">${state}</span></h3>
      ${source && html`<p>${source}</p>`}
      ${lines.length > 0 && html`<div class="diff close" tabindex="0" role="group" aria-label="${t('changes')}">${lines}</div>`}</li>`
  })
  return html`<ul class="entries" role="list">${parts}</ul>`
}

/** Statements with prefixed names in place of IRIs that have a known prefix. */
const statements = (value: unknown): readonly (string | undefined)[] => {
  const shorter = (match: string, iri: string) => shortNames().shorten(iri) ?? match
  return listed(value).map((entry) => textOr(entry)?.replaceAll(/<([^<>"\s]+)>/g, shorter))
}

/** Section with the segments of a waiting or running run and their states. */
function segmentStates(context: StewardContext, { fields }: HarvestRun): HtmlContent {
  const { t } = context
  const rows = listAt(fields, 'segments').map((segment) => [
    textAt(segment, 'name'),
    segment['processed'] === true
      ? stateBadge('good', t('step-done'))
      : stateBadge('idle', t('step-waits')),
  ])
  const table = textTable(context, 'steps', ['step', 'state'], rows)
  return html`${pageSection('steps', t('steps'), table)}<p class="close soft small">${t('live-hint')}</p>`
}

/** Sections with new and solved problems since the previous run, and with the requests to each host by status. */
function comparison({ t }: StewardContext, report: Fields): HtmlContent {
  const recordsOf = (key: string): HtmlContent => {
    const records = fieldsAt(report, `difference.${key}`)
    const ids = listed(records['ids']).slice(0, 5)
    const names = ids.map((id) => html`<code>${textOr(id)}</code>`)
    const count = numberAt(records, 'count')
    if (count === 0) return report['difference'] !== undefined && t('none')
    return html`${t('n-records', { count })} ${joinHtml(names, ', ')}`
  }
  const differences = pairList([
    [t('new-problems'), recordsOf('newlyFailing')],
    [t('solved-problems'), recordsOf('newlyFixed')],
  ])
  const requests = Object.entries(fieldsAt(report, 'requests')).map(([host, statuses]) => {
    const answers = Object.keys(memberFields(statuses)).map((status) =>
      t('answered', { count: numberAt(statuses, status), status }),
    )
    return [html`<bdi>${host}</bdi>`, answers.join('; ')] as const
  })
  const requestList = pairList(requests)
  return [
    differences && pageSection('before', t('compared'), differences),
    requestList && pageSection('asked', t('requests'), requestList),
  ]
}
