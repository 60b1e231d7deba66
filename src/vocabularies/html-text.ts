/**
 * Converts HTML in descriptions of harvested records, and in licences, to text: blocks become lines, links keep their address,
 * other markup is removed. Uses the tokenizer of htmlparser2 and not its parser, whose stack of open elements takes quadratic
 * time for `<a><a><a>…`.
 */
import { decodeHTMLStrict } from 'entities'
import { Tokenizer } from 'htmlparser2'

/** Separators that an element adds to the text where it opens and where it closes. */
const separators = new Map<string, string>([
  ...'p h1 h2 h3 h4 h5 h6'.split(' ').map((tag) => [tag, '\n\n'] as const),
  ...(
    'address article aside blockquote br dd div dl dt figcaption figure footer form header hr main nav ol pre section table ' +
    'tbody thead tr ul'
  )
    .split(' ')
    .map((tag) => [tag, '\n'] as const),
  ['td', ' '],
  ['th', ' '],
])
/** Elements whose content is left out. */
const ignoredElements = new Set(['script', 'style', 'head', 'template', 'noscript'])

/** Whether a text contains complete tags or entities. */
export const isHtml = (text: string) =>
  /<\/?[A-Za-z][^<>]*>|<!--/.test(text) || /&(?:#\d|#x|[A-Za-z])[^\s;&]{0,31};/i.test(text)

/** Text of HTML without markup; a text that is no HTML is returned unchanged. */
export function textFromHtml(html: string): string {
  if (!isHtml(html)) return html
  return convert(escapeIncompleteMarkup(html))
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const skip = () => undefined
const ignoredTokens = {
  onattribend: skip,
  onattribentity: skip,
  oncomment: skip,
  ondeclaration: skip,
  onend: skip,
  onprocessinginstruction: skip,
  ontextentity: skip,
}

/** Text of HTML, before white space is reduced. */
function convert(html: string): string {
  let [out, tag, attribute, href] = ['', '', '', '']
  let ignoredTag: string | undefined
  let link: { readonly from: number; readonly url: string } | undefined
  const slice = (from: number, to: number) => html.slice(from, to)
  const text = (from: number, to: number) => {
    // An entity needs its semicolon, because addresses contain texts such as `&copy=1`.
    if (ignoredTag === undefined) out += decodeHTMLStrict(slice(from, to).replaceAll(/\s+/g, ' '))
  }
  const open = () => {
    if (ignoredTag !== undefined) return
    if (ignoredElements.has(tag)) ignoredTag = tag
    else if (tag === 'a') link = { from: out.length, url: decodeHTMLStrict(href).trim() }
    else out += tag === 'li' ? '\n- ' : (separators.get(tag) ?? '')
  }
  const close = (name: string) => {
    if (ignoredTag === name) ignoredTag = undefined
    else if (ignoredTag !== undefined) return
    else if (name !== 'a') out += separators.get(name) ?? ''
    else if (link) {
      out += addressAfter(out.slice(link.from).trim(), link.url)
      link = undefined
    }
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (from, to) => void ([tag, href] = [slice(from, to).toLowerCase(), '']),
      onattribname: (from, to) => void (attribute = slice(from, to).toLowerCase()),
      onattribdata: (from, to) => void (href += attribute === 'href' ? slice(from, to) : ''),
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: (from, to) => close(slice(from, to).toLowerCase()),
      ontext: text,
      oncdata: (from, to, cut) => text(from, to - cut),
      ...ignoredTokens,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return out
}

/** Address to be added after the text of a link; empty if the text already has it. */
function addressAfter(text: string, url: string): string {
  if (!/^(?:https?:|mailto:)/i.test(url)) return ''
  if (text === '') return url
  return url.endsWith(text) ? '' : ` (${url})`
}

/**
 * Escapes `<` that begins no complete tag or comment, and removes angle brackets around addresses, so that both remain as text.
 */
function escapeIncompleteMarkup(html: string): string {
  const lastComment = html.lastIndexOf('-->')
  return html
    .replaceAll('<!--', (open, at: number) => (at > lastComment ? '&lt;!--' : open))
    .replaceAll(/<((?:https?|mailto):[^\s<>]*|[^\s<>@/"'=]+@[^\s<>@"'=]+)>/gi, '$1')
    .replaceAll(/<(?!!--)(?![^<>]*>)/g, '&lt;')
}
