/** OpenAPI 3.1 document of a service, as JSON, as YAML and as a page (Swagger UI), which loads nothing from other hosts. */

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

/** Title, version and description of a service. */
type Description = {
  readonly title: string
  readonly version: string
  readonly description: string
  /** Further schemas that the operations refer to by name. */
  readonly schemas?: Readonly<Record<string, object>>
}

type Document = ReturnType<App['getOpenAPI31Document']>

/** `document` makes the OpenAPI document with the server address of a request. */
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
    // YAML 1.1 parsers read an unquoted `no` as false, and `no` is a language.
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
    const mediaType = negotiate(c.req.header('Accept'), ['application/json', 'text/html'])
    const answer =
      mediaType === 'text/html' ? page(c, `${title} – ${c.get('siteName')}`) : c.json(document(c))
    addVary(answer.headers, 'Accept')
    return answer
  },
})

/**
 * Mounts `/openapi.json`, `/openapi.yaml`, `/` and the files of the page; call it after the last route. The addresses of the page
 * are relative, so that it works behind any path of a proxy. The first server of the document is the path of the public address,
 * because many tools cannot resolve relative ones.
 */
export function mountContract(app: App, { schemas = {}, ...info }: Description): void {
  const security = {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    Bearer: { type: 'http', scheme: 'bearer' },
  } as const
  for (const [name, scheme] of Object.entries(security))
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  let generated: Document | undefined
  const document = (c: AppContext) => {
    generated ??= app.getOpenAPI31Document({ openapi: '3.1.0', info: { ...info } })
    const { components } = generated
    return {
      ...generated,
      components: { ...components, schemas: { ...components?.schemas, ...schemas } },
      servers: [{ url: new URL(c.get('address')).pathname }, { url: serverUrl(pathOf(c.req.url)) }],
    }
  }
  mount(app, contractEndpoints(), { title: info.title, document })
}

/** Content security policy of the page: Swagger UI uses inline styles. */
const policy = pagePolicy.replace(`style-src 'self'`, `style-src 'self' 'unsafe-inline'`)

/** Answers the page. */
function page(c: AppContext, title: string): Response {
  // Relative addresses depend on whether the path of the request ends in a slash.
  const lastSegment = pathOf(c.req.url).split('/').at(-1) ?? ''
  const folder = lastSegment === '' ? '.' : `./${lastSegment}`
  return c.html(docsPage(title, `${folder}/docs/${release()}`), 200, {
    'Content-Security-Policy': policy,
  })
}

/** Address of the service relative to its OpenAPI document. */
function serverUrl(path: string): string {
  const lastSegment = path.split('/').at(-1) ?? ''
  return lastSegment === '' || lastSegment.startsWith('openapi.') ? '.' : `./${lastSegment}`
}

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}
const immutable = 'public, max-age=31536000, immutable'

/** Makes the endpoints. Paths of files contain the version of Swagger UI, so that browsers may cache them, except `start.js`. */
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

/** HTML of the page; `assets` is the relative address of the files, without a slash at its end. */
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

/** Script that starts Swagger UI; the OpenAPI document is two levels above it. */
const initializer = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
})
`
