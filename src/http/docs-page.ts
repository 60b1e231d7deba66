/** The contract of a service as OpenAPI 3.1, for programs and as a page for people; nothing comes from the internet. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { negotiate } from '../rdf/media-types.ts'
import { escaped } from '../text/escaped.ts'
import type { App, AppContext } from './app.ts'
import { pathOf } from './context.ts'
import { anyone, type Endpoint, mount, pageEndpoint } from './endpoint.ts'
import { addVary, pagePolicy } from './headers.ts'

type Description = {
  readonly title: string
  readonly version: string
  readonly description: string
  /** Schemas that the operations refer to by name. */
  readonly schemas?: Readonly<Record<string, object>>
}

type Document = ReturnType<App['getOpenAPI31Document']>

/** The document as a client sees it, by the address that it was asked for. */
type ContractServices = { readonly title: string; readonly document: (c: AppContext) => object }

const tag = 'contract'

const readJson = pageEndpoint<ContractServices>({
  path: '/openapi.json',
  operation: 'getOpenapiJson',
  tag,
  summary: 'The contract as OpenAPI 3.1',
  auth: anyone,
  page: (c, { document }) => c.json(document(c)),
})

const readYaml = pageEndpoint<ContractServices>({
  path: '/openapi.yaml',
  operation: 'getOpenapiYaml',
  tag,
  summary: 'The contract as OpenAPI 3.1, in YAML',
  auth: anyone,
  page: (c, { document }) =>
    // YAML 1.1 readers take a bare `no` for false, and `no` is a language.
    c.body(stringify(document(c), { compat: 'yaml-1.1', aliasDuplicateObjects: false }), 200, {
      'Content-Type': 'application/yaml',
    }),
})

const readContract = pageEndpoint<ContractServices>({
  path: '/',
  operation: 'getContract',
  tag,
  summary: 'The contract as a page for clients that prefer text/html, else as JSON',
  auth: anyone,
  page: (c, { title, document }) => {
    const wanted = negotiate(c.req.header('Accept'), ['application/json', 'text/html'])
    const answer =
      wanted === 'text/html' ? page(c, `${title} – ${c.get('siteName')}`) : c.json(document(c))
    addVary(answer.headers, 'Accept')
    return answer
  },
})

/**
 * Adds `/openapi.json`, `/openapi.yaml`, `/` and the files of the page. To be called after the last route. The page's addresses
 * are relative, so it works behind any proxy path; the document names its server by the path of the public address first,
 * because many tools resolve no relative ones.
 */
export function mountContract(app: App, { schemas = {}, ...about }: Description): void {
  const security = {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    Bearer: { type: 'http', scheme: 'bearer' },
  } as const
  for (const [name, scheme] of Object.entries(security))
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  let made: Document | undefined
  const document = (c: AppContext) => {
    made ??= app.getOpenAPI31Document({ openapi: '3.1.0', info: { ...about } })
    const { components } = made
    return {
      ...made,
      components: { ...components, schemas: { ...components?.schemas, ...schemas } },
      servers: [{ url: new URL(c.get('address')).pathname }, { url: serverUrl(pathOf(c.req.url)) }],
    }
  }
  mount(app, contractEndpoints(), { title: about.title, document })
}

/** Swagger UI draws with inline styles. */
const policy = pagePolicy.replace(`style-src 'self'`, `style-src 'self' 'unsafe-inline'`)

function page(c: AppContext, title: string): Response {
  // Relative addresses need the slash that a service root may lack.
  const last = pathOf(c.req.url).split('/').at(-1) ?? ''
  const folder = last === '' ? '.' : `./${last}`
  return c.html(docsPage(title, `${folder}/docs/${release()}`), 200, {
    'Content-Security-Policy': policy,
  })
}

/** Where the service root is, seen from the document: clients resolve it against the document's own address. */
function serverUrl(path: string): string {
  const last = path.split('/').at(-1) ?? ''
  return last === '' || last.startsWith('openapi.') ? '.' : `./${last}`
}

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}
const immutable = 'public, max-age=31536000, immutable'

/** The endpoints of the contract. The release stands in the addresses of files, so that browsers may keep them for ever. */
export function contractEndpoints(): readonly Endpoint<ContractServices>[] {
  const root = `/docs/${release()}` as const
  const files = Object.entries(assets).map(([name, type]) =>
    pageEndpoint<ContractServices>({
      path: `${root}/${name}`,
      operation: `get.${name}`,
      tag,
      summary: `The file ${name} of the page`,
      auth: anyone,
      page: async (c) =>
        c.body(await readFile(join(folder(), name)), 200, {
          'Content-Type': type,
          'Cache-Control': immutable,
        }),
    }),
  )
  const start = pageEndpoint<ContractServices>({
    path: `${root}/start.js`,
    operation: 'get.start.js',
    tag,
    summary: 'The script that begins the page',
    auth: anyone,
    page: (c) =>
      c.body(initializer, 200, {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'no-cache',
      }),
  })
  return [readJson, readYaml, readContract, start, ...files]
}

const require = createRequire(import.meta.url)
const folder = (): string => dirname(require.resolve('swagger-ui-dist/package.json'))
const release = (): string =>
  String(Reflect.get(require('swagger-ui-dist/package.json'), 'version'))

// The texts of the OpenAPI page.

/** A page that loads Swagger UI from `assets`, a relative address without a slash at its end. */
const docsPage = (title: string, assets: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${escaped(assets)}/favicon-32x32.png">
<link rel="stylesheet" href="${escaped(assets)}/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="${escaped(assets)}/swagger-ui-bundle.js"></script>
<script src="${escaped(assets)}/start.js"></script>
</body>
</html>
`

/** The document stands two folders above the script, wherever the service is mounted. */
const initializer = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
})
`
