// Runs before the page is shown: styles then know whether scripts run, and which language of samples was chosen.
document.documentElement.classList.add("js");
