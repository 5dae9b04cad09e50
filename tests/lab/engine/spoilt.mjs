// The worker in a browser that lacks something: the query says what, as code.
(0, eval)(decodeURIComponent(location.search.slice(1)));
import("./worker.js").then(() => postMessage("up"));
