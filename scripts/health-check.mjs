// The container's health check: exit code 0 when the service in this container can serve requests. The image has no curl.
const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const everywhere = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
const host = everywhere[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST);

try {
  const response = await fetch(`http://${host}:${PORT}/health/ready`);
  process.exitCode = response.ok ? 0 : 1;
  if (!response.ok) console.error(`not ready: ${response.status}`);
} catch (error) {
  console.error(`no answer: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
