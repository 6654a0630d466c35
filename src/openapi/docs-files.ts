/** The files of the page `/docs`, at `/docs/<name>`. */
export const DOCS_FILES = ['docs.js', 'swagger-ui-bundle.js', 'swagger-ui.css', 'icon.png'] as const;
