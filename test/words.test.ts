/** Words of the source: verbs of log events, beginnings of doc comments. The lists grow with each review. */

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Source = { readonly path: string; readonly text: string }

const root = new URL('../src/', import.meta.url).pathname
const sources: Source[] = globSync('**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(root + path, 'utf8'),
}))

/** Log events whose verb says what has not happened: `run.unwritten` for `run.write-failed`. */
const negatedEvents = ({ path, text }: Source): string[] =>
  [...text.matchAll(/'([a-z-]+\.(?:[a-z]+-)*un[a-z-]+)'/g)].map((match) => `${path}: ${match[1]}`)

/** Folders and files whose doc comments have been reviewed for their beginning. */
const reviewed =
  /^(?:store|repository|metrics|workers|http|portal|jobs|text|profile|config|rdf|vocabularies|harvest|search-index|pipe|scheduler|client|main|console|projector|search-index|search)\/|^[\w-]+\.ts$/

/** Folders whose comments have been reviewed word by word. */
const plain =
  /^(?:store|repository|profile|vocabularies|harvest|metrics|http|portal|pipe|scheduler|client|rdf|main|console|config|projector|search-index|search)\/|^[\w-]+\.ts$/

/** Doc comments that begin with a subordinate clause in place of a noun or a verb. */
const vagueComments = ({ path, text }: Source): string[] =>
  [...text.matchAll(/\/\*\*\s+(?:\* )?((?:Of|The same|Whoever|What|How)\b.{0,40})/g)].map(
    (match) => `${path}: ${match[1]}`,
  )

/** Identifiers that were replaced by words of the trade. */
const replacedNames =
  /\b(?:isOwed|obey|laneOf|parcels?|Parcel|Likeness|Reception|Told|labelTangled|tangledQuads|whenLeftAlone|judgedOf|singly|revive|KnownPipe|isWorn|Living|reachOf|FieldReach|cutLists|dateOrderOf|nearTokens|RenewedWriter|narrowingOf|GivenParameters|beginningsOf|takesMany|WriteVerdict|tellFindings|twinOf|storedTwin|startUpkeep|StoredRemains|MemberRemains|resolveDoubts|namesCleared|isDoubtful|onceThere|publicDoor|saidText|squashed|looksDrawn|boxSides|cameByAlias|answerWhatIsGone|measuredAlone|blankAgain|isRipe|seekPipes|speechOf|Speech|askedBy|askedParameters|foundIn|wantedLanguage|nothingAt|stateMark|proseOf|ownTrigger|UrlVerdict|VerdictFile|knownKeys|ownKeys|eachRequest|answerFlow|demandOwn|demandIntent)\b/g

/** Uses of replaced identifiers, outside of comments. */
const oldNames = ({ path, text }: Source): string[] =>
  [...text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '').matchAll(replacedNames)].map(
    ([name]) => `${path}: ${name}`,
  )

/** Comments with words that name no subject, or that have a plainer equivalent. */
const unclearComments = ({ path, text }: Source): string[] =>
  [...text.matchAll(/\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm)].flatMap(([comment]) => {
    const word = /\b(?:nobody|somebody|anybody|everybody|whoever|whomever|told|stands?)\b/i.exec(
      comment,
    )
    return word && !comment.includes('oxlint-disable') ? [`${path}: ${word[0]}`] : []
  })

/** Events with the levels at which a file logs them; the level is `undefined` where it is chosen by a condition. */
function loggedEvents({ text }: Source): [event: string, level: string | undefined][] {
  const calls = [...text.matchAll(/\blog(?:\.(debug|info|warn|error|fatal)|\[[^\n]*?\])\(/g)]
  const logged = calls.flatMap(({ 0: call, 1: level, index }): [string, string | undefined][] =>
    topLevelTexts(text, index + call.length)
      .filter((event) => /^(?:[a-z]+\.[a-zA-Z-]+|request)$/.test(event))
      .map((event) => [event, level]),
  )
  const loops = [...text.matchAll(/backgroundLoop\(\s*'([a-z.-]+)'/g)]
  return [...logged, ...loops.map(({ 1: event = '' }): [string, string] => [event, 'error'])]
}

/** Texts among the arguments of a call, without those inside of objects and other calls. */
function topLevelTexts(text: string, from: number): string[] {
  const found: string[] = []
  let depth = 1
  const tokens = /'([^'\n]*)'|`[^`]*`|\/\/[^\n]*|[([{]|[)\]}]/g
  tokens.lastIndex = from
  for (let token = tokens.exec(text); token && depth > 0; token = tokens.exec(text)) {
    if (token[1] !== undefined && depth === 1) found.push(token[1])
    if (/^[([{]$/.test(token[0])) depth += 1
    if (/^[)\]}]$/.test(token[0])) depth -= 1
  }
  return found
}

/** Events whose noun is chosen by the service that is asked. */
const composedEvents = /^(?:store|engine|embedder)\.(?:away|back|exchange)$/

describe('the table of log events', () => {
  const page = readFileSync(new URL('../docs/log-events.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, event = '', levels = '', meaning = '']) => ({ event, levels: levels.split(', '), meaning }),
  )
  const logged = sources.flatMap(loggedEvents)

  it('has each event of the source with its levels', () => {
    const missing = logged.filter(([event, level]) => {
      const row = rows.find((one) => one.event === event)
      return !row || (level !== undefined && !row.levels.includes(level))
    })
    expect(missing).toEqual([])
  })

  it('has no other events, each once, in their order, with a sentence', () => {
    const names = rows.map(({ event }) => event)
    const isKnown = (name: string) =>
      composedEvents.test(name) || logged.some(([event]) => event === name)
    expect(names.filter((name) => !isKnown(name))).toEqual([])
    expect(names).toEqual([...new Set(names)].toSorted())
    expect(rows.filter(({ meaning }) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([])
  })

  it('is read from calls with objects, conditions and comments', () => {
    const text = `log.warn({ file: join('a.b', ')'), /* */ }, isLate ? 'job.late' : 'job.ended')
      log[level]({ a }, 'file.lost'); backgroundLoop('disk.look-failed', 1)`
    expect(loggedEvents({ path: 'a.ts', text })).toEqual([
      ['job.late', 'warn'],
      ['job.ended', 'warn'],
      ['file.lost', undefined],
      ['disk.look-failed', 'error'],
    ])
  })
})

describe('the source', () => {
  it('names log events by what happened or failed', () => {
    expect(sources.flatMap(negatedEvents)).toEqual([])
  })

  it('begins doc comments with a noun or a verb, where it has been reviewed', () => {
    expect(sources.filter(({ path }) => reviewed.test(path)).flatMap(vagueComments)).toEqual([])
  })
})

describe('identifiers', () => {
  it('are not those that were replaced', () => {
    expect(sources.flatMap(oldNames)).toEqual([])
  })
})

describe('the source, where it has been reviewed word by word', () => {
  it('says in comments who does what', () => {
    expect(sources.filter(({ path }) => plain.test(path)).flatMap(unclearComments)).toEqual([])
  })
})

describe('the rules find', () => {
  it.each(["log.warn({ err }, 'run.unwritten')", "'store.lease-unheard'"])('%s', (text) => {
    expect(negatedEvents({ path: 'a.ts', text })).toHaveLength(1)
  })

  it('nothing in events that name what happened', () => {
    const text = "'run.write-failed', 'run.started', 'runner.found'"
    expect(negatedEvents({ path: 'a.ts', text })).toEqual([])
  })

  it.each([
    '/** Of a batch. */',
    '/**\n * What it is,\n * at length.\n */',
    '/** How long it takes. */',
    '/** The same for others. */',
  ])('%j', (text) => {
    expect(vagueComments({ path: 'a.ts', text })).toHaveLength(1)
  })

  it('a replaced identifier, but not in a comment', () => {
    const text = 'const key = laneOf(start)\n// laneOf\n/** laneOf */'
    expect(oldNames({ path: 'a.ts', text })).toEqual(['a.ts: laneOf'])
  })

  it.each(['/** Nobody reads it. */', '// It stands there.', '/**\n * Shown\n * as told.\n */'])(
    '%j',
    (text) => {
      expect(unclearComments({ path: 'a.ts', text })).toHaveLength(1)
    },
  )

  it('nothing in comments that begin with a noun or a verb', () => {
    const text = '/** Marks of a batch. */ /** Offset in bytes. */ // What for.'
    expect(vagueComments({ path: 'a.ts', text })).toEqual([])
  })
})
