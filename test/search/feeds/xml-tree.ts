/** A strict reader of the XML that feeds are written in: what is not well-formed (XML 1.0, 2.1) throws. */

export type Node = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Node[]
  /** Character data of the element itself. */
  readonly text: string
}

// XML 1.0 2.2; lone halves of surrogate pairs are none of them.
// oxlint-disable-next-line no-control-regex
const char = /^(?:[\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\ud800-\udbff][\udc00-\udfff])*$/
const tag = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*="[^"<]*")*)\s*(\/?)>/y
const attribute = /\s+([A-Za-z_][\w.:-]*)="([^"<]*)"/g
const declaration = '<?xml version="1.0" encoding="utf-8"?>\n'
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

type Open = {
  name: string
  attributes: Record<string, string>
  children: Node[]
  text: string
}

/** The root element. Comments, processing instructions, CDATA and DOCTYPE are refused: nobody here writes them. */
export function xmlTree(xml: string): Node {
  if (!xml.startsWith(declaration)) throw new Error('no declaration')
  if (!char.test(xml)) throw new Error('a character that XML has no place for')
  const document: Open = { name: '', attributes: {}, children: [], text: '' }
  const path = [document]
  let at = declaration.length
  while (at < xml.length) {
    const end = xml.indexOf('<', at)
    const inside = path.at(-1)!
    inside.text += decoded(xml.slice(at, end < 0 ? xml.length : end))
    if (end < 0) break
    tag.lastIndex = end
    const [all, closing, name = '', written = '', empty] = tag.exec(xml) ?? []
    if (all === undefined) throw new Error(`no tag at ${xml.slice(end, end + 60)}`)
    if (closing === '/') {
      if (path.pop()?.name !== name) throw new Error(`</${name}> closes nothing`)
    } else {
      const open: Open = { name, attributes: attributesOf(written), children: [], text: '' }
      inside.children.push(open)
      if (empty !== '/') path.push(open)
    }
    at = end + all.length
  }
  const [root, ...others] = document.children
  if (path.length !== 1 || !root || others.length > 0 || document.text.trim() !== '') {
    throw new Error('not one whole element')
  }
  return root
}

function attributesOf(written: string): Record<string, string> {
  const pairs = [...written.matchAll(attribute)].map(([, name = '', value = '']) => [
    name,
    decoded(value),
  ])
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error('a name twice')
  return Object.fromEntries(pairs)
}

const bare = /&(?!#x[0-9A-Fa-f]+;|#\d+;|(?:amp|lt|gt|quot|apos);)/

function decoded(text: string): string {
  if (/[<>]/.test(text) || bare.test(text)) throw new Error(`a bare mark in ${text}`)
  return text.replace(/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? ''
    return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
  })
}

/** All children of a name, one level down. */
export const children = ({ children }: Node, name: string): readonly Node[] =>
  children.filter((child) => child.name === name)

/** Text of the first child of a name. */
export const textOf = (node: Node, name: string): string | undefined =>
  children(node, name)[0]?.text

/** `href` of the link with a relation. */
export const linkOf = (node: Node, rel: string): string | undefined =>
  node.children.find((child) => child.name.endsWith('link') && child.attributes['rel'] === rel)
    ?.attributes['href']
