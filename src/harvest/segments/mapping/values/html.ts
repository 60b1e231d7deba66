/** HTML as text: blocks become lines, links keep their address, everything else goes. */

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  sbquo: '‚',
  bdquo: '„',
  euro: '€',
  pound: '£',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  sect: '§',
  middot: '·',
  bull: '•',
  times: '×',
  sup2: '²',
  sup3: '³',
  frac12: '½',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  agrave: 'à',
  aacute: 'á',
  acirc: 'â',
  atilde: 'ã',
  aring: 'å',
  aelig: 'æ',
  ccedil: 'ç',
  egrave: 'è',
  eacute: 'é',
  ecirc: 'ê',
  euml: 'ë',
  igrave: 'ì',
  iacute: 'í',
  icirc: 'î',
  iuml: 'ï',
  ntilde: 'ñ',
  ograve: 'ò',
  oacute: 'ó',
  ocirc: 'ô',
  otilde: 'õ',
  oslash: 'ø',
  oelig: 'œ',
  ugrave: 'ù',
  uacute: 'ú',
  ucirc: 'û',
  Agrave: 'À',
  Aacute: 'Á',
  Acirc: 'Â',
  Aring: 'Å',
  AElig: 'Æ',
  Ccedil: 'Ç',
  Egrave: 'È',
  Eacute: 'É',
  Ecirc: 'Ê',
  Ntilde: 'Ñ',
  Oslash: 'Ø',
  OElig: 'Œ',
  Eth: 'Ð',
  shy: '',
  zwj: '',
  zwnj: '',
  thinsp: ' ',
  ensp: ' ',
  emsp: ' ',
}

const blocks = new Set(
  (
    'address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li ' +
    'main nav ol p pre section table tbody thead tr ul'
  ).split(' '),
)
const silent = new Set(['script', 'style', 'head', 'template', 'noscript'])

const markup = /<(\/?)([A-Za-z][A-Za-z0-9:-]*)((?:\s|\/)[^<>]*)?>/g

/** Whether a text holds tags or entities at all. */
const isHtml = (text: string) =>
  /<[A-Za-z/!]/.test(text) || /&(?:#\d|#x|[A-Za-z])[^\s;&]{0,10};/.test(text)

type State = {
  out: string
  mute: string | undefined
  link: { from: number; url: string } | undefined
}

/** Text without markup. What is no HTML stays as it is. */
export function textFromHtml(given: string): string {
  if (!isHtml(given)) return given
  const html = withoutComments(given)
  const state: State = { out: '', mute: undefined, link: undefined }
  let at = 0
  for (const match of html.matchAll(markup)) {
    say(state, html.slice(at, match.index))
    at = match.index + match[0].length
    const [, slash = '', tag = '', attributes = ''] = match
    if (tag !== '') turn(state, { tag: tag.toLowerCase(), isEnd: slash === '/', attributes })
  }
  say(state, html.slice(at))
  return state.out
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function withoutComments(html: string): string {
  let out = ''
  let at = 0
  for (;;) {
    const start = html.indexOf('<!--', at)
    const end = start < 0 ? -1 : html.indexOf('-->', start + 4)
    if (end < 0) return out + html.slice(at)
    out += html.slice(at, start)
    at = end + 3
  }
}

function say(state: State, text: string): void {
  if (state.mute === undefined && text !== '') state.out += decoded(text.replaceAll(/\s+/g, ' '))
}

type Tag = { readonly tag: string; readonly isEnd: boolean; readonly attributes: string }

function turn(state: State, { tag, isEnd, attributes }: Tag): void {
  if (state.mute !== undefined) {
    if (isEnd && tag === state.mute) state.mute = undefined
    return
  }
  if (silent.has(tag)) {
    if (!isEnd) state.mute = tag
    return
  }
  if (tag === 'a') linkTurn(state, isEnd, attributes)
  else if (tag === 'li' && !isEnd) state.out += '\n- '
  else if (tag === 'p' || /^h\d$/.test(tag)) state.out += '\n\n'
  else if (blocks.has(tag) && tag !== 'li') state.out += '\n'
  else if (tag === 'td' || tag === 'th') state.out += ' '
}

function linkTurn(state: State, isEnd: boolean, attributes: string): void {
  if (!isEnd) {
    const [, quoted, other, bare] =
      /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i.exec(attributes) ?? []
    const url = decoded(quoted ?? other ?? bare ?? '').trim()
    state.link = { from: state.out.length, url }
    return
  }
  const { link } = state
  state.link = undefined
  if (!link || !/^(?:https?:|mailto:)/i.test(link.url)) return
  const text = state.out.slice(link.from).trim()
  if (text === '') state.out += link.url
  else if (!link.url.endsWith(text)) state.out += ` (${link.url})`
}

const decoded = (text: string) =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,7}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
        ? ''
        : String.fromCodePoint(point)
    },
  )
