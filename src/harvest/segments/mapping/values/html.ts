/** HTML as text: blocks become lines, links keep their address, everything else goes. */
import { decodeHTMLStrict } from 'entities'
import { Tokenizer } from 'htmlparser2'

const blocks = new Set(
  (
    'address article aside blockquote br dd div dl dt figcaption figure footer form header hr ' +
    'main nav ol pre section table tbody thead tr ul'
  ).split(' '),
)
const silent = new Set(['script', 'style', 'head', 'template', 'noscript'])

/** Whether a text holds whole tags or entities at all. */
export const isHtml = (text: string) =>
  /<\/?[A-Za-z][^<>]*>|<!--/.test(text) || /&(?:#\d|#x|[A-Za-z])[^\s;&]{0,31};/i.test(text)

/** Text without markup. What is no HTML stays as it is. */
export function textFromHtml(given: string): string {
  if (!isHtml(given)) return given
  const html = withoutLooseEnds(given)
  const writer = new TextWriter()
  const at = (from: number, to: number) => html.slice(from, to)
  let tag = ''
  let attribute = ''
  let href = ''
  const opened = () => writer.open(tag, decodeHTMLStrict(href).trim())
  // The tokenizer and not the parser: the stack of open elements takes quadratic time for `<a><a><a>…`.
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (from, to) => {
        tag = at(from, to).toLowerCase()
        href = ''
      },
      onattribname: (from, to) => {
        attribute = at(from, to).toLowerCase()
      },
      onattribdata: (from, to) => {
        if (attribute === 'href') href += at(from, to)
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (from, to) => writer.close(at(from, to).toLowerCase()),
      ontext: (from, to) => writer.text(at(from, to)),
      oncdata: (from, to, cut) => writer.text(at(from, to - cut)),
      onattribend: nothing,
      onattribentity: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
      ontextentity: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return writer.out
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const nothing = () => undefined

class TextWriter {
  out = ''
  #muted: string | undefined
  #link: { readonly from: number; readonly url: string } | undefined

  text(text: string): void {
    // A name counts only with its semicolon: addresses hold `&copy=1`.
    if (this.#muted === undefined) this.out += decodeHTMLStrict(text.replaceAll(/\s+/g, ' '))
  }

  open(tag: string, href: string): void {
    if (this.#muted !== undefined) return
    if (silent.has(tag)) this.#muted = tag
    else if (tag === 'a') this.#link = { from: this.out.length, url: href }
    else this.out += tag === 'li' ? '\n- ' : separator(tag)
  }

  close(tag: string): void {
    if (this.#muted !== undefined) {
      if (tag === this.#muted) this.#muted = undefined
    } else if (tag !== 'a') this.out += separator(tag)
    else if (this.#link) {
      this.out += addressAfter(this.out.slice(this.#link.from).trim(), this.#link.url)
      this.#link = undefined
    }
  }
}

function separator(tag: string): string {
  if (tag === 'p' || /^h[1-6]$/.test(tag)) return '\n\n'
  if (tag === 'td' || tag === 'th') return ' '
  return blocks.has(tag) ? '\n' : ''
}

function addressAfter(text: string, url: string): string {
  if (!/^(?:https?:|mailto:)/i.test(url)) return ''
  if (text === '') return url
  return url.endsWith(text) ? '' : ` (${url})`
}

/** What only looks like the beginning of a tag or comment stays text, and so does an address in angle brackets. */
function withoutLooseEnds(html: string): string {
  const lastComment = html.lastIndexOf('-->')
  return html
    .replaceAll('<!--', (open, at: number) => (at > lastComment ? '&lt;!--' : open))
    .replaceAll(/<((?:https?|mailto):[^\s<>]*|[^\s<>@/"'=]+@[^\s<>@"'=]+)>/gi, '$1')
    .replaceAll(/<(?!!--)(?![^<>]*>)/g, '&lt;')
}
