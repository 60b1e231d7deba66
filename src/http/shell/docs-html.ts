/** The texts of the OpenAPI page. */

import { escaped } from '../../text/escaped.ts'

/** A page that loads Swagger UI from `assets`, a relative address without a slash at its end. */
export const docsPage = (title: string, assets: string): string => `<!doctype html>
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
export const initializer = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
})
`
